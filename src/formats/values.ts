import { ServiceError } from '../errors/errors.js';
import { forRanges } from '../types/ranges.js';
import {
  type Field,
  type ScalarName,
  type StructType,
  scalar,
  storedNames,
  structType,
  type Type,
} from '../types/types.js';
import { type JsonSlice, scalarText, sliceJson } from '../values/slice-json.js';
import type { FormatColumn } from './formats.js';

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
interface ValueRecord {
  readonly [name: string]: Value;
}

/**
 * The number of decimal places of each decimal type, which has 38 digits in total: polars panics on Arrow's wider
 * decimals, and DuckDB has none. A BIGNUMERIC of this engine always fits; one of BigQuery may not.
 */
export const decimalScales = { NUMERIC: 9, BIGNUMERIC: 8 } as const;

/**
 * The type that other formats can show: fields that rows do not list are omitted, names are unique even ignoring case,
 * and a struct without fields, which is always NULL, is a STRING.
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

/**
 * Reads rows, each the UTF-8 of a JSON object, into columns, whose types are {@link shownType}s; values are in order of
 * the rows.
 */
export function readTable(rows: readonly Uint8Array[], columns: readonly FormatColumn[]) {
  const type = shownType(structType(columns));
  if (type.kind !== 'STRUCT') throw new Error('rows without a column');
  const read = recordReader(type);
  const records = rows.map((row) => read(Buffer.from(row).toString()));
  return type.fields.map(({ name, type: of }) => ({
    name,
    type: of,
    values: records.map((record) => record[name] ?? null),
  }));
}

/**
 * Reads values of a {@link shownType} from JSON with the members of objects in the order of the fields; only undeclared
 * fields may be missing.
 */
export function valueReader(type: Type): (json: string) => Value {
  const read = readPresent(type);
  return (json) => {
    const raw = json.trim();
    return raw === 'null' ? null : read(raw);
  };
}

function readPresent(type: Type): (raw: string) => Value {
  if (type.kind === 'ARRAY') {
    const read = valueReader(type.element);
    return (raw) => sliceJson(raw).map((element) => read(element.raw));
  }
  if (type.kind === 'STRUCT') return recordReader(type);
  const parse = parsers[type.kind];
  return (raw) => parse(scalarText(raw));
}

function recordReader(type: StructType): (raw: string) => ValueRecord {
  const fields = type.fields.map((field) => ({ ...field, read: valueReader(field.type) }));
  return (raw) => {
    const members = matchMembers(fields, sliceJson(raw));
    // Without a prototype, because a field may be named __proto__.
    const record: Record<string, Value> = Object.create(null);
    for (const [index, { name, read }] of fields.entries()) {
      record[name] = read(members[index]?.raw ?? 'null');
    }
    return record;
  };
}

/**
 * Finds the member of each field; the members are in the order of the fields, and only an undeclared field may have
 * none.
 * @throws Error if a member has no field
 */
export function matchMembers(
  fields: readonly Pick<Field, 'name' | 'undeclared'>[],
  members: readonly JsonSlice[],
): readonly (JsonSlice | undefined)[] {
  // If no member is missing, the names may differ from the fields' names.
  if (members.length === fields.length) return members;
  let next = 0;
  const matched = fields.map(({ name }) =>
    members[next]?.name === name ? members[next++] : undefined,
  );
  const isComplete = matched.every((member, index) => member ?? fields[index]?.undeclared);
  if (isComplete && members.length === next) return matched;
  throw new Error(`a row has ${members.length} members, and its type ${fields.length} fields`);
}

const asText = (text: string) => text;

/** The parsers of values, by type. */
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
  ...forRanges(() => asText),
  STRING: asText,
  TIME: (text) => parseMicroseconds(`1970-01-01T${text}`),
  TIMESTAMP: BigInt,
};

const millisecondsPerDay = 86_400_000;

/** `-1.5` with scale 9 -> -1500000000n. @throws ServiceError `invalidQuery` if it has more digits */
function parseDecimal(text: string, scale: number): bigint {
  const [whole = '', digits = ''] = text.split('.');
  const fraction = digits.replace(/0+$/, '').padEnd(scale, '0');
  if (fraction.length === scale && whole.replace('-', '').length <= 38 - scale)
    return BigInt(`${whole}${fraction}`);
  const message = `A number has more digits than decimals of Arrow and Parquet have here, ${38 - scale} before the point and ${scale} after it: cast it to STRING`;
  throw new ServiceError('invalidQuery', message);
}

/** `1970-01-01T00:00:01.5` -> 1500000n */
function parseMicroseconds(text: string): bigint {
  const [whole = '', fraction = ''] = text.split('.');
  return BigInt(Date.parse(`${whole}Z`)) * 1000n + BigInt(fraction.padEnd(6, '0'));
}
