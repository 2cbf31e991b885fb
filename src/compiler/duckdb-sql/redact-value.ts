import type { StructType, Type } from '../../types/types.js';
import { holdsText, type TextKind } from '../../types/types.js';
import { holdsAddress } from '../../values/address-key.js';
import * as d from './duckdb-sql.js';
import { duckType } from './duckdb-type.js';
import { letOnce } from './let.js';
import * as plain from './plain.js';
import { duckList, firstElement, isLongPath, letBe, mapAs } from './variable.js';

/** The macros that redact personal data in a value of these types. */
const macros: Readonly<Record<TextKind, string> & Partial<Record<Type['kind'], string>>> = {
  STRING: 'redact',
  BYTES: 'redact_bytes',
  JSON: 'redact_json',
};

/**
 * Redacts the personal data in a value's text; type and layout stay the same. Returns a value without text
 * unchanged; names of fields are not redacted.
 */
export function redactDuckValue(value: d.DuckExpression, type: Type): d.DuckExpression {
  if (!holdsText(type)) return value;
  const inner = type.kind === 'ARRAY' ? type.element : type;
  if (type.kind === 'ARRAY' && type.layout === 'list') {
    return inner.kind === 'STRUCT'
      ? redactRecords(value, inner)
      : plain.mapList(value, (element) => redactDuckValue(element, inner));
  }
  if (inner.kind === 'STRUCT') return firstElement(redactRecords(duckList(value), inner));
  return letOnce([value], ([one = d.nullValue]) => redactScalar(one, inner));
}

/**
 * Redacts a scalar. The cast does not change the type, but without it, DuckDB fails to bind a macro that is a
 * field of a record over a column of an outer query, and other macros make records of their arguments.
 */
function redactScalar(value: d.DuckExpression, type: Type): d.DuckExpression {
  return d.castTo(d.macro(macros[type.kind] ?? '', value), duckType(type));
}

/**
 * Redacts a list of records. A record's strings go through one call, as one list, and the strings of its lists through
 * another: the engine compiles the patterns for each call, which would take a second for all fields of a log. One
 * lambda reads the strings, and a second one after it builds the record: if they were nested, they would double the
 * work for each level of lists.
 */
function redactRecords(records: d.DuckExpression, type: StructType): d.DuckExpression {
  const read = Object.entries(sharedTexts).flatMap(([name, texts]) => {
    const segments = wantedLists(d.variable('element'), type, texts);
    return segments.length === 0
      ? []
      : [{ name, value: plain.mapList(joinLists(segments), texts.redact) }];
  });
  const pair = d.variable('pair');
  const counts = { texts: 0, lists: 0 };
  const next = (of: Type) => {
    const name = isText(of) ? 'texts' : 'lists';
    counts[name] += 1;
    return d.call('list_extract', { kind: 'field', of: pair, name }, d.integer(counts[name]));
  };
  if (read.length === 0) return mapAs(records, 'pair', rebuild(pair, type, next));
  const body = rebuild({ kind: 'field', of: pair, name: 'record' }, type, next);
  const fields = [{ name: 'record', value: d.variable('element') }, ...read];
  return mapAs(mapAs(records, 'element', { kind: 'struct', fields }), 'pair', body);
}

function isText({ kind }: Type): boolean {
  return kind === 'STRING';
}

function isTextList(type: Type): boolean {
  return type.kind === 'ARRAY' && type.layout === 'list' && isText(type.element);
}

/** Fields of a kind, which are redacted together. */
interface Texts {
  readonly includes: (type: Type) => boolean;
  /** The type of their values in the engine. */
  readonly duckType: string;
  readonly redact: (value: d.DuckExpression) => d.DuckExpression;
}

const redactText = (text: d.DuckExpression) => d.macro('redact', text);

/** The strings, and the lists of strings, among columns or the fields of a record. */
export const sharedTexts: Readonly<Record<'texts' | 'lists', Texts>> = {
  texts: { includes: isText, duckType: 'VARCHAR', redact: redactText },
  lists: {
    includes: isTextList,
    duckType: 'VARCHAR[]',
    redact: (list) => plain.mapList(list, redactText),
  },
};

/** Lists of the wanted fields of a record and of its inner records, in the order in which `rebuild` uses them. */
function wantedLists(
  value: d.DuckExpression,
  type: StructType,
  wanted: Texts,
): readonly d.DuckExpression[] {
  if (isLongPath(value, type)) {
    const lists = wantedLists(d.variable('element'), type, wanted);
    return lists.length === 0 ? [] : [letBe(value, 'element', joinLists(lists))];
  }
  const textsIn = (fields: readonly plain.StoredField[]) =>
    fields.flatMap(([field, inner]) => {
      if (wanted.includes(field.type)) return [duckList(inner)];
      const record = recordType(field.type);
      return record === undefined ? [] : wantedLists(inner, record, wanted);
    });
  if (!plain.isWide(type)) return textsIn(plain.storedFields(value, type));
  const none = d.castTo(joinLists([]), `${wanted.duckType}[]`);
  const read = (fields: readonly plain.StoredField[]) => {
    const texts = textsIn(fields);
    return texts.length === 0 ? none : joinLists(texts);
  };
  return [plain.readFields(value, type, read, joinLists)];
}

function joinLists(lists: readonly d.DuckExpression[]): d.DuckExpression {
  const joined: d.DuckExpression[] = [];
  let elements: d.DuckExpression[] = [];
  for (const list of lists) {
    if (list.kind !== 'list') [joined[joined.length], elements] = [list, []];
    else if (elements.push(...list.elements) === list.elements.length)
      joined.push({ kind: 'list', elements });
  }
  const [first, ...others] = joined;
  if (others.length === 0) return first ?? { kind: 'list', elements: [] };
  return d.call('flatten', { kind: 'list', elements: joined });
}

/** The type of a value that is stored as a single record; undefined for any other type. */
function recordType(type: Type): StructType | undefined {
  if (type.kind === 'STRUCT') return type;
  if (type.kind !== 'ARRAY' || type.layout !== 'struct') return undefined;
  return type.element.kind === 'STRUCT' ? type.element : undefined;
}

function rebuild(
  value: d.DuckExpression,
  type: StructType,
  next: (type: Type) => d.DuckExpression,
): d.DuckExpression {
  if (isLongPath(value, type)) {
    return letBe(value, 'record', rebuild(d.variable('record'), type, next));
  }
  const read = (stored: readonly plain.StoredField[]): d.DuckExpression => {
    const fields = stored.map(([field, inner, name]): d.DuckItem => {
      if (isText(field.type) || isTextList(field.type)) return { name, value: next(field.type) };
      const record = recordType(field.type);
      if (record === undefined) return { name, value: redactDuckValue(inner, field.type) };
      return { name, value: holdsText(record) ? rebuild(inner, record, next) : inner };
    });
    return { kind: 'struct', fields };
  };
  const record = plain.readFields(value, type, read, plain.joinRecords);
  return d.choose(d.isNull(value), d.nullValue, record);
}

/**
 * Whether a row of these columns can be redacted as JSON text: only strings contain text, and no key looks
 * like an address.
 */
export function canRedactAsJson(
  columns: readonly { readonly name: string; readonly type: Type }[],
): boolean {
  return columns.every(({ name, type }) => isHarmlessKey(name) && isPlainText(type));
}

function isPlainText(type: Type): boolean {
  if (type.kind === 'ARRAY') return isPlainText(type.element);
  if (type.kind === 'BYTES' || type.kind === 'JSON') return false;
  if (type.kind !== 'STRUCT') return true;
  return type.fields.every((field) => isHarmlessKey(field.name) && isPlainText(field.type));
}

/** Whether the JSON of a key does not look like an address. */
function isHarmlessKey(name: string): boolean {
  return !holdsAddress(`${JSON.stringify(name)}:`);
}
