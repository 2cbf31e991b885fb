import type { Type } from '../types/types.js';
import { scalarText, sliceJson } from '../values/slice-json.js';
import type { Encode } from './formats.js';
import { holdsTimes, withTimes } from './with-times.js';

/**
 * A header line, then a line for each row. A NULL is an empty field and an empty string `""`; arrays and structs are
 * JSON; a TIMESTAMP is a string.
 * @see https://www.rfc-editor.org/rfc/rfc4180
 */
export const encodeCsv: Encode = (rows, columns) => {
  const cells = columns.map(({ type }) => cellPrinter(type));
  // An empty line would not be read as a row.
  const ofNull = columns.length === 1 ? '""' : '';
  const lines = rows.map((row) =>
    sliceJson(Buffer.from(row).toString())
      .map(({ raw }, index) => (raw === 'null' ? ofNull : (cells[index]?.(raw) ?? '')))
      .join(','),
  );
  const head = columns.map(({ name }) => quote(name)).join(',');
  return Buffer.from([head, ...lines, ''].join('\r\n'));
};

/** Prints the JSON of a value that is not NULL. */
function cellPrinter(type: Type): (raw: string) => string {
  return holdsTimes(type)
    ? (raw) => quote(scalarText(withTimes(raw, type)))
    : (raw) => quote(scalarText(raw));
}

function quote(cell: string): string {
  return cell === '' || /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell;
}
