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
  const keys = columns.map(({ name }, at) =>
    Buffer.from(`${at === 0 ? '{' : ','}${JSON.stringify(name)}:`),
  );
  const blocks = new Map<Block, readonly (readonly Uint8Array[])[]>();
  const textsOf = (block: Block) => {
    const known = blocks.get(block) ?? columns.map(({ index }) => block.column(index));
    blocks.set(block, known);
    return known;
  };
  const parts: Uint8Array[] = [opening];
  for (const [at, { block, index }] of rows.entries()) {
    if (at > 0) parts.push(comma);
    const texts = textsOf(block);
    for (const [column, key] of keys.entries()) parts.push(key, textAt(texts, column, index));
    parts.push(rowEnd);
  }
  return Buffer.concat([...parts, closing]);
}

function textAt(texts: readonly (readonly Uint8Array[])[], column: number, row: number) {
  const text = texts[column]?.[row];
  if (text === undefined) throw new Error(`a block has no row ${row}`);
  return text;
}
