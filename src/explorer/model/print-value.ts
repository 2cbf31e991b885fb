import type { FieldSchema } from '../../types/table-schema.js';
import type { AnswerValue } from './endpoint.js';
import { printJson } from './parse-json.js';
import { printMicros, type Zone } from './time.js';

/** The maximum length of a cell; the opened record shows the rest. */
const maxCellLength = 300;

/** Prints a value as the text of a cell, on one line; omits the NULL fields of records. */
export function printCell(value: AnswerValue | undefined, field: FieldSchema, zone: Zone): string {
  const text = printValue(withoutNulls(value ?? null), field, zone);
  return text.slice(0, maxCellLength).replaceAll(/\s+/g, ' ');
}

function withoutNulls(value: AnswerValue): AnswerValue {
  if (value === null || typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map(withoutNulls);
  const given = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(given.map(([name, inner]) => [name, withoutNulls(inner)]));
}

/** Prints a value in full: a TIMESTAMP as a time, with microseconds if `precise` is set; a record as JSON. */
export function printValue(
  value: AnswerValue,
  field: FieldSchema,
  zone: Zone,
  precise = false,
): string {
  if (value === null) return 'NULL';
  const isTime = field.type === 'TIMESTAMP' && field.mode !== 'REPEATED';
  if (isTime && (typeof value === 'number' || typeof value === 'bigint')) {
    return printMicros(value, zone, precise);
  }
  return printPlain(value);
}

/** Prints a value without its type: a record or a list as JSON. */
export function printPlain(value: AnswerValue): string {
  return typeof value === 'object' ? printJson(value) : String(value);
}

const numeric = new Set(['INT64', 'FLOAT64', 'NUMERIC', 'BIGNUMERIC']);

/** Whether a column has numbers, which are aligned to the right. */
export function isNumericColumn({ type, mode }: FieldSchema): boolean {
  return mode !== 'REPEATED' && numeric.has(type);
}
