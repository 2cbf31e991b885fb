import type { Block } from './block.js';
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

/** Printing is synchronous, so one is enough. */
const output = new ByteWriter();

/** The rows as a JSON array of objects, in UTF-8. */
export function printRows(
  rows: readonly FoundRow[],
  columns: readonly PrintedColumn[],
): Uint8Array<ArrayBuffer> {
  const keyed = columns.map(({ name, index }, at) => ({
    key: Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`),
    index,
  }));
  const read = (block: Block) =>
    keyed.map(({ key, index }) => ({ key, writeText: block.column(index) }));
  const blocks = new Map<Block, ReturnType<typeof read>>();
  output.length = 0;
  output.write(opening);
  for (const [at, { block, index }] of rows.entries()) {
    if (at > 0) output.write(comma);
    const own = blocks.get(block) ?? read(block);
    blocks.set(block, own);
    for (const { key, writeText } of own) {
      output.write(key);
      writeText(index, output);
    }
    output.write(rowEnd);
  }
  output.write(closing);
  return output.copy();
}
