import type { Row, Value } from './endpoint.js';
import { printJson } from './parse-json.js';

/** Prints rows as CSV with a line of names. @see https://www.rfc-editor.org/rfc/rfc4180 */
export function printCsv(names: readonly string[], rows: readonly Row[]): string {
  const lines = rows.map((row) => names.map((name) => printField(row[name] ?? null)));
  return [names.map(quote), ...lines].map((fields) => `${fields.join(',')}\r\n`).join('');
}

function printField(value: Value): string {
  if (value === null) return '';
  if (value === '') return '""';
  return quote(typeof value === 'object' ? printJson(value) : String(value));
}

function quote(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
