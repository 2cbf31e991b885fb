import type { Column } from '../../src/newest/block.js';
import { ByteWriter } from '../../src/newest/byte-writer.js';

/** The text that is written. */
export function written(write: (output: ByteWriter) => void): string {
  const output = new ByteWriter();
  write(output);
  return Buffer.from(output.copy()).toString();
}

/** The JSON text of a row. */
export const textAt = (column: Column, row: number): string =>
  written((output) => column(row, output));
