import { encodeCsv } from './csv.js';
import type { Encode, Format, FormatColumn } from './formats.js';

const opening = Buffer.from('[');
const comma = Buffer.from(',');
const closing = Buffer.from(']');
const lineEnd = Buffer.from('\n');

const encodeJson: Encode = (rows) => {
  const listed = rows.flatMap((row, index) => (index === 0 ? [row] : [comma, row]));
  return Buffer.concat([opening, ...listed, closing]);
};

const encodeNdjson: Encode = (rows) => Buffer.concat(rows.flatMap((row) => [row, lineEnd]));

const encoders: Readonly<Record<Format, () => Encode | Promise<Encode>>> = {
  json: () => encodeJson,
  ndjson: () => encodeNdjson,
  csv: () => encodeCsv,
  // Loaded on demand, because most engine processes never need them.
  arrow: async () => (await import('./arrow.js')).encodeArrow,
  parquet: async () => (await import('./parquet.js')).encodeParquet,
};

/**
 * Encodes rows, each the UTF-8 of a JSON object with a value for each column, in their order: BigQuery's values as
 * the documents say under "Responses". Only CSV, Arrow and Parquet read the columns.
 */
export async function encodeRows(
  rows: readonly Uint8Array[],
  format: Format,
  columns: readonly FormatColumn[],
): Promise<Uint8Array<ArrayBuffer>> {
  const encode = await encoders[format]();
  return encode(rows, columns);
}
