import { type ScalarName, scalar, storedNames, type Type } from '../types/types.js';

/**
 * A value of a row: INT64, NUMERIC, BIGNUMERIC and times are bigints (scaled, or microseconds), a DATE a number of
 * days since 1970, a struct an object by the names of {@link shownType}.
 */
export type Value =
  | null
  | boolean
  | number
  | bigint
  | string
  | Uint8Array
  | readonly Value[]
  | ValueRecord;

/** The value of a struct; it has no prototype. */
export interface ValueRecord {
  readonly [name: string]: Value;
}

/** The digits after the point of each decimal type. */
export const decimalScales = { NUMERIC: 9, BIGNUMERIC: 38 } as const;

/**
 * The type as other formats can show it: fields that rows do not list are left out, names are unique also where letter
 * case does not count, and a struct without fields, which is always NULL, is a STRING.
 */
export function shownType(type: Type): Type {
  if (type.kind === 'ARRAY') return { ...type, element: shownType(type.element) };
  if (type.kind !== 'STRUCT') return type;
  const listed = type.fields.filter(({ stored }) => stored);
  const fields = listed.map((field, index) => {
    return { ...field, name: field.name || `_field_${index + 1}`, type: shownType(field.type) };
  });
  if (fields.length === 0) return scalar('STRING');
  const names = storedNames({ kind: 'STRUCT', fields });
  return {
    kind: 'STRUCT',
    fields: fields.map((field, index) => ({ ...field, name: names[index] ?? field.name })),
  };
}

/** Reads a JSON value from a position. */
type Read = (cursor: Cursor) => Value;

interface Cursor {
  readonly text: string;
  /** The index of the next character that was not read. */
  at: number;
}

/** Reads values of a {@link shownType} from JSON with the members of objects in the order of the fields. */
export function readerOf(type: Type): (json: string) => Value {
  const read = readType(type);
  return (json) => read({ text: json, at: 0 });
}

function readType(type: Type): Read {
  const read = readPresent(type);
  return (cursor) => {
    skipSpace(cursor);
    if (cursor.text[cursor.at] !== 'n') return read(cursor);
    cursor.at += 'null'.length;
    return null;
  };
}

function readPresent(type: Type): Read {
  if (type.kind === 'ARRAY') {
    const read = readType(type.element);
    return (cursor) => readItems(cursor, read);
  }
  if (type.kind !== 'STRUCT') {
    const parse = parsers[type.kind];
    return (cursor) => parse(readScalar(cursor));
  }
  const reads = type.fields.map((field) => readType(field.type));
  const names = type.fields.map(({ name }) => name);
  return (cursor) => {
    let index = 0;
    const values = readItems(cursor, () => {
      readScalar(cursor);
      skip(cursor, ':');
      const read = reads[index];
      if (read === undefined) throw new Error('a row has more members than its type has fields');
      index += 1;
      return read(cursor);
    });
    if (index < reads.length) throw new Error('a row has fewer members than its type has fields');
    return recordOf(names, values);
  };
}

function recordOf(names: readonly string[], values: readonly Value[]): ValueRecord {
  // Without a prototype, because a field may be named __proto__.
  const record: Record<string, Value> = Object.create(null);
  for (const [index, name] of names.entries()) record[name] = values[index] ?? null;
  return record;
}

/** Reads an array, or the members of an object. */
function readItems(cursor: Cursor, read: Read): readonly Value[] {
  const items: Value[] = [];
  cursor.at += 1;
  skipSpace(cursor);
  while (!isEnd(cursor)) {
    items.push(read(cursor));
    skipSpace(cursor);
    if (cursor.text[cursor.at] === ',') cursor.at += 1;
  }
  cursor.at += 1;
  return items;
}

function isEnd({ text, at }: Cursor): boolean {
  return at >= text.length || text[at] === ']' || text[at] === '}';
}

function skip(cursor: Cursor, character: string): void {
  skipSpace(cursor);
  if (cursor.text[cursor.at] !== character) throw new SyntaxError(`expected ${character}`);
  cursor.at += 1;
}

/** Below it are the characters that JSON takes for white space. */
const afterSpace = '!'.charCodeAt(0);

function skipSpace(cursor: Cursor): void {
  while (cursor.text.charCodeAt(cursor.at) < afterSpace) cursor.at += 1;
}

/** The text of a number, a string or a word. */
function readScalar(cursor: Cursor): string {
  skipSpace(cursor);
  return cursor.text[cursor.at] === '"' ? readString(cursor) : readWord(cursor);
}

function readString(cursor: Cursor): string {
  const { text, at: start } = cursor;
  let end = text.indexOf('"', start + 1);
  while (isEscaped(text, end)) end = text.indexOf('"', end + 1);
  if (end === -1) throw new SyntaxError('a string without an end');
  cursor.at = end + 1;
  const inner = text.slice(start + 1, end);
  return inner.includes('\\') ? JSON.parse(`"${inner}"`) : inner;
}

/** Whether an odd number of backslashes precedes the character. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text[first - 1] === '\\') first -= 1;
  return (at - first) % 2 === 1;
}

const word = /[\w.+-]+/y;

function readWord(cursor: Cursor): string {
  word.lastIndex = cursor.at;
  const [found] = word.exec(cursor.text) ?? [];
  if (found === undefined) throw new SyntaxError('expected a value');
  cursor.at += found.length;
  return found;
}

const asText = (text: string) => text;

/** How the text of a value becomes the value. */
const parsers: Readonly<Record<ScalarName, (text: string) => Value>> = {
  BOOL: (text) => text === 'true',
  BYTES: (text) => Buffer.from(text, 'base64'),
  BIGNUMERIC: (text) => parseDecimal(text, decimalScales.BIGNUMERIC),
  DATE: (text) => Date.parse(`${text}T00:00:00Z`) / millisecondsPerDay,
  DATETIME: parseMicroseconds,
  FLOAT64: Number,
  INT64: BigInt,
  INTERVAL: asText,
  JSON: asText,
  NUMERIC: (text) => parseDecimal(text, decimalScales.NUMERIC),
  STRING: asText,
  TIME: (text) => parseMicroseconds(`1970-01-01T${text}`),
  TIMESTAMP: BigInt,
};

const millisecondsPerDay = 86_400_000;

/** `-1.5` with scale 9 -> -1500000000n */
function parseDecimal(text: string, scale: number): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  if (fraction.length > scale) throw new Error(`more than ${scale} digits after the point`);
  return BigInt(`${whole}${fraction.padEnd(scale, '0')}`);
}

/** `1970-01-01T00:00:01.5` -> 1500000n */
function parseMicroseconds(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
