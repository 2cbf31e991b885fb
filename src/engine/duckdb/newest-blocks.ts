import type { NewestTable } from '../../rows/newest-table.js';
import { columnSeparator } from '../../rows/print-columns.js';
import { unpackRows } from '../../rows/row-block.js';
import type { BlockSpan } from './newest-span.js';
import { earliest } from './newest-span.js';

/** Some printed rows of a project in one part of a source, newest first. */
export interface Block {
  readonly part: number;
  /** The times of its first and last rows, in unix microseconds. */
  readonly newest: bigint;
  readonly oldest: bigint;
  /** Whether the part has no older rows of the project. */
  readonly isLast: boolean;
  readonly packed: Uint8Array;
}

/** A printed row: each character is a byte. */
export interface BlockRow {
  readonly time: bigint;
  /** The JSON text of its id. */
  readonly id: string;
  /** The JSON text of each column. */
  readonly columns: readonly string[];
}

/** The criteria for choosing rows of the blocks. */
export interface Choice extends BlockSpan {
  /** The maximum number of rows to look for; at most `maxRows` + 1. */
  readonly limit: number;
  readonly maxRows: number;
}

/** Rows, newest first. */
export interface Chosen {
  readonly rows: readonly BlockRow[];
  /** True if more than `maxRows` rows exist. */
  readonly truncated: boolean;
}

/**
 * Chooses the first rows of a span from all blocks of a project: newest first, and rows with the same time by id.
 * Undefined if other rows might precede some of them, because each part keeps only its newest rows, or if rows with
 * the same time and id differ: a statement orders these by other columns.
 */
export function chooseRows(
  blocks: readonly Block[],
  table: Pick<NewestTable, 'columns'>,
  choice: Choice,
): Chosen | undefined {
  const { after, limit, maxRows } = choice;
  const end = findEnd(blocks);
  const known = unpackFirst(blocks, table, choice).filter(({ time }) => time > end);
  // Include the row after the last one.
  const firstRows = known.slice(0, limit + 1);
  if (firstRows.some((row, index) => isUnordered(row, firstRows[index + 1]))) return undefined;
  const isAll = known.length >= limit || end <= after;
  // Older rows exist that the blocks do not keep.
  const hasMore = after === earliest && limit > maxRows && known.length >= maxRows;
  if (!isAll && !hasMore) return undefined;
  const rows = known.slice(0, Math.min(limit, maxRows));
  return { rows, truncated: limit > maxRows && (known.length > maxRows || !isAll) };
}

/** Returns the time after which the blocks keep every row; {@link earliest} if all parts keep all of their rows. */
function findEnd(blocks: readonly Block[]): bigint {
  const ends = new Map<number, bigint>();
  for (const { part, oldest, isLast } of blocks) {
    const end = isLast ? earliest : oldest;
    ends.set(part, min(ends.get(part) ?? end, end));
  }
  return [...ends.values()].toSorted(compare).at(-1) ?? earliest;
}

/**
 * Unpacks blocks until they contain the first rows of a span: at least `limit` rows that are newer than all other
 * blocks.
 */
function unpackFirst(
  blocks: readonly Block[],
  { columns }: Pick<NewestTable, 'columns'>,
  { after, until, limit }: Choice,
): readonly BlockRow[] {
  const places = { time: columns.indexOf('timestamp'), id: columns.indexOf('id') };
  const inOrder = blocks
    .filter(({ newest, oldest }) => newest > after && oldest <= until)
    .toSorted((one, other) => compare(other.newest, one.newest));
  const rows: BlockRow[] = [];
  for (const [index, block] of inOrder.entries()) {
    for (const row of unpack(block, places)) {
      if (row.time > after && row.time <= until) rows.push(row);
    }
    const next = inOrder[index + 1]?.newest ?? earliest;
    if (rows.filter((row) => row.time > next).length >= limit) break;
  }
  return rows.toSorted(
    (one, other) => compare(other.time, one.time) || compareIds(one.id, other.id),
  );
}

function unpack(
  { packed }: Block,
  { time, id }: Record<'time' | 'id', number>,
): readonly BlockRow[] {
  return unpackRows(packed).map((line) => {
    const columns = line.split(columnSeparator);
    return { time: BigInt(columns[time] ?? ''), id: columns[id] ?? '', columns };
  });
}

/** Whether a row and the next one share instant and id, and are not the same in all columns. */
function isUnordered(row: BlockRow, next: BlockRow | undefined): boolean {
  if (next === undefined || row.time !== next.time || row.id !== next.id) return false;
  return row.columns.some((text, index) => text !== next.columns[index]);
}

/** Compares the JSON of two ids as the engine compares their UTF-8. */
function compareIds(one: string, other: string): number {
  if (one === other) return 0;
  return stringBytes(one) < stringBytes(other) ? -1 : 1;
}

/** Returns the UTF-8 of a JSON string, with one character for each byte. */
function stringBytes(json: string): string {
  if (!json.includes('\\')) return json.slice(1, -1);
  const value: unknown = JSON.parse(Buffer.from(json, 'latin1').toString());
  return Buffer.from(String(value)).toString('latin1');
}

function min(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

function compare(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
