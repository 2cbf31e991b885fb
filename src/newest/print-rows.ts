import { type Block, type FoundRow, readColumn } from './project-rows.js';

/** A column of the answer: its name, and the index of its texts in a block. */
export interface PrintedColumn {
  readonly name: string;
  readonly index: number;
}

/** The rows as a JSON array of objects, in UTF-8. */
export function printRows(
  rows: readonly FoundRow[],
  columns: readonly PrintedColumn[],
): Uint8Array<ArrayBuffer> {
  const keys = columns.map(({ name }) => `${JSON.stringify(name)}:`);
  const blocks = new Map<Block, readonly (readonly string[])[]>();
  const textsOf = (block: Block) => {
    const known = blocks.get(block) ?? columns.map(({ index }) => readColumn(block, index));
    blocks.set(block, known);
    return known;
  };
  const printed = rows.map(({ block, index }) => {
    const texts = textsOf(block);
    return `{${keys.map((key, column) => `${key}${texts[column]?.[index]}`).join(',')}}`;
  });
  return Buffer.from(`[${printed.join(',')}]`);
}
