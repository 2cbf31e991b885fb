import type { Block } from './block.js';
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
    keyed.map(({ key, index }) => ({ key, textOf: block.column(index) }));
  const blocks = new Map<Block, ReturnType<typeof read>>();
  const parts: Uint8Array[] = [opening];
  for (const [at, { block, index }] of rows.entries()) {
    if (at > 0) parts.push(comma);
    const own = blocks.get(block) ?? read(block);
    blocks.set(block, own);
    for (const { key, textOf } of own) parts.push(key, textOf(index));
    parts.push(rowEnd);
  }
  return Buffer.concat([...parts, closing]);
}
