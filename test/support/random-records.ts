import type { ArrayType, Field, Type } from '../../src/types/types.js';
import { randomFrom } from './random.js';

/** A random value of a log record: an object by the names of its fields, NULL and empty included. */
export type LogValue = null | boolean | number | string | readonly LogValue[] | LogRecord;

/** The fields of a record that have a value. */
export interface LogRecord {
  readonly [name: string]: LogValue;
}

const oddNames = [
  ...['element', 'e', 'once', 'texts', 'select', 'a"b', "it's", 'x.y', 'ä', '\\', '\v', ' ', '{}'],
  ...['__proto__', '":null', ',', 'result', 'c1', 'row', '💥', 'u@v.w', '::1'],
];

const texts = ['', 'GET', "it's", '"', '\\', '\u0001":null,', 'ö💥', '10.0.0.1', '{"a":1}', '\n'];

/** Random schemas of records and values of them. */
export interface RandomRecords {
  /** The fields of a record: at most `width` of them, with records in them to `depth`; below undeclared ones all are. */
  fields(depth: number, width: number, isUndeclared?: boolean): readonly Field[];
  /** A record, of which each field is absent half of the time. */
  record(fields: readonly Field[]): LogRecord;
}

/** Random records; the same seed makes the same ones. */
export function randomRecords(seed: number): RandomRecords {
  const next = randomFrom(seed);
  const below = (count: number) => next() % count;
  const pick = <T>(values: readonly [T, ...T[]] | readonly T[]): T => {
    const value = values[below(values.length)];
    if (value === undefined) throw new Error('nothing to pick from');
    return value;
  };

  function name(index: number): string {
    return below(3) === 0 ? `${pick(oddNames)}${below(2) === 0 ? '' : index}` : `f${index}`;
  }

  function type(depth: number, width: number, isUndeclared: boolean): Type {
    if (depth > 0 && below(3) > 0) {
      const inner = fields(depth - 1, width, isUndeclared);
      const layout: ArrayType['layout'] = below(3) === 0 ? 'list' : 'struct';
      return { kind: 'ARRAY', layout, element: { kind: 'STRUCT', fields: inner } };
    }
    const scalar: Type = { kind: pick(['STRING', 'STRING', 'INT64', 'FLOAT64', 'BOOL']) };
    return below(6) === 0 ? { kind: 'ARRAY', layout: 'list', element: scalar } : scalar;
  }

  function fields(depth: number, width: number, isUndeclared = false): readonly Field[] {
    const made = new Map<string, Field>();
    for (let index = 0; index < 1 + below(width); index += 1) {
      const isOwn = isUndeclared || below(3) === 0;
      const field = {
        name: name(index),
        type: type(depth, width, isOwn),
        stored: true,
        ...(isOwn && { undeclared: true as const }),
      };
      if (!made.has(field.name.toLowerCase())) made.set(field.name.toLowerCase(), field);
    }
    const all = [...made.values()];
    return [...all.filter((one) => !one.undeclared), ...all.filter((one) => one.undeclared)];
  }

  function value(of: Type): LogValue {
    if (of.kind === 'ARRAY') {
      const count = of.layout === 'struct' ? 1 : below(4);
      return Array.from({ length: count }, () => value(of.element));
    }
    if (of.kind === 'STRUCT') return record(of.fields);
    if (of.kind === 'BOOL') return below(2) === 0;
    if (of.kind === 'STRING') return pick(texts);
    const number = below(2_000_000) - 1_000_000;
    return of.kind === 'INT64' ? number : number + 0.5;
  }

  function record(of: readonly Field[]): LogRecord {
    const entries = of.flatMap((field) =>
      below(2) === 0 ? [] : [[field.name, value(field.type)] as const],
    );
    return Object.fromEntries(entries);
  }

  return { fields, record };
}

/** The JSON of a value as answers show it. */
export function shownJson(value: LogValue | undefined, type: Type): string {
  if (isAbsent(value)) return 'null';
  if (type.kind === 'ARRAY') {
    return `[${(value as readonly LogValue[]).map((one) => shownJson(one, type.element)).join(',')}]`;
  }
  return type.kind === 'STRUCT'
    ? objectJson(value as LogRecord, type.fields)
    : JSON.stringify(value);
}

function objectJson(record: LogRecord, fields: readonly Field[]): string {
  const members = fields.flatMap(({ name, type, undeclared }) => {
    const value = Object.hasOwn(record, name) ? record[name] : undefined;
    if (undeclared && isAbsent(value)) return [];
    return [`${JSON.stringify(name).replace('\\u000b', '\\u000B')}:${shownJson(value, type)}`];
  });
  return `{${members.join(',')}}`;
}

function isAbsent(value: LogValue | undefined): value is undefined | null {
  return value === undefined || value === null || (Array.isArray(value) && value.length === 0);
}

/** A type in DuckDB's SQL as records are stored. */
export function storedType(type: Type): string {
  if (type.kind === 'ARRAY')
    return `${storedType(type.element)}${type.layout === 'list' ? '[]' : ''}`;
  if (type.kind !== 'STRUCT') {
    const names: Readonly<Record<string, string>> = {
      INT64: 'BIGINT',
      FLOAT64: 'DOUBLE',
      BOOL: 'BOOLEAN',
    };
    return names[type.kind] ?? 'VARCHAR';
  }
  return `STRUCT(${type.fields.map((field) => `${quoted(field.name)} ${storedType(field.type)}`).join(', ')})`;
}

/** A value as it is stored, in DuckDB's SQL. */
export function storedValue(value: LogValue | undefined, type: Type): string {
  if (value === undefined || value === null) return 'NULL';
  if (type.kind === 'ARRAY') {
    const elements = (value as readonly LogValue[]).map((one) => storedValue(one, type.element));
    return type.layout === 'list' ? `[${elements.join(', ')}]` : (elements[0] ?? 'NULL');
  }
  if (type.kind === 'STRUCT') {
    const record = value as LogRecord;
    const fields = type.fields.map(
      ({ name, type: inner }) =>
        `${quoted(name)} := ${storedValue(Object.hasOwn(record, name) ? record[name] : null, inner)}`,
    );
    return `struct_pack(${fields.join(', ')})`;
  }
  return typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value);
}

function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}
