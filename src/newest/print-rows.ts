import { ByteWriter } from './byte-writer.js';
import type { FoundRow } from './kept-rows.js';

/** A column of the answer: its name, and the index of its texts in a block. */
export interface PrintedColumn {
  readonly name: string;
  readonly index: number;
}

const opening = Buffer.from('[');
const rowEnd = Buffer.from('}');
const comma = Buffer.from(',');
const closing = Buffer.from(']');

/** Printing is synchronous, so one writer serves all requests. */
const output = new ByteWriter();

/** The rows as a JSON array of objects, in UTF-8; undefined if it is larger than `maxBytes`. */
export function printRows(
  rows: readonly FoundRow[],
  columns: readonly PrintedColumn[],
  maxBytes: number,
): Uint8Array<ArrayBuffer> | undefined {
  try {
    return writeRows(rows, columns, maxBytes) ? output.copy() : undefined;
  } finally {
    output.clear();
  }
}

/** Writes the rows to `output`; false if it stopped because they are too large. */
function writeRows(
  rows: readonly FoundRow[],
  columns: readonly PrintedColumn[],
  maxBytes: number,
): boolean {
  const keyed = columns.map(({ name, index }, at) => ({
    key: Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    column: index,
  }));
  output.write(opening);
  for (const [at, { block, index }] of rows.entries()) {
    if (at > 0) output.write(comma);
    for (const { key, column } of keyed) {
      output.write(key);
      block.column(column)(index, output);
      // A statement can select the same column many times.
      if (output.length > maxBytes) return false;
    }
    output.write(rowEnd);
  }
  output.write(closing);
  return output.length <= maxBytes;
}
