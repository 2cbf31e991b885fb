import type { FieldSchema } from '../../types/table-schema.js';
import type { Row, Value } from './endpoint.js';
import { printPlain } from './print-value.js';
import { printMicros } from './time.js';

/**
 * Prints rows as the server does in the format `csv`: a NULL is an empty field, a TIMESTAMP a text in UTC, arrays and
 * structs are JSON.
 * @see https://www.rfc-editor.org/rfc/rfc4180
 */
export function printCsv(fields: readonly FieldSchema[], rows: readonly Row[]): string {
  // A line without a character would not be read as a row.
  const ofNull = fields.length === 1 ? '""' : '';
  const print = (value: Value) => (value === null ? ofNull : quote(printPlain(value)));
  const lines = rows.map((row) =>
    fields.map((field) => print(withTimes(row[field.name] ?? null, field))),
  );
  const head = fields.map(({ name }) => quote(name));
  return [head, ...lines].map((cells) => `${cells.join(',')}\r\n`).join('');
}

/** Replaces each TIMESTAMP by its text, also inside of arrays and structs. */
function withTimes(value: Value, field: FieldSchema): Value {
  if (Array.isArray(value)) return value.map((one: Value) => withTimes(one, field));
  if (field.type === 'TIMESTAMP' && (typeof value === 'number' || typeof value === 'bigint')) {
    return printInstant(value);
  }
  if (field.type !== 'STRUCT' || value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value as Row).map(([name, inner]) => {
    const own = field.fields?.find((one) => one.name === name);
    return [name, own === undefined ? inner : withTimes(inner, own)] as const;
  });
  return Object.fromEntries(entries);
}

/** `2026-03-10T12:00:00.123456Z`; the fraction has six digits, and is there only if it is not zero. */
function printInstant(micros: number | bigint): string {
  const [whole = '', fraction = ''] = printMicros(micros, 'utc', true).replace(' ', 'T').split('.');
  return `${whole}${Number(fraction) === 0 ? '' : `.${fraction.padEnd(6, '0')}`}Z`;
}

function quote(text: string): string {
  return text === '' || /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
