import type { NewestTable } from '../../values/newest-table.js';
import { columnSeparator } from '../../values/print-columns.js';
import { unpackRows } from '../../values/row-block.js';
import type { Span } from './newest-span.js';
import { earliest } from './newest-span.js';

/** Some printed rows of a project in one part of a source, newest first. */
export interface Block {
  readonly part: number;
  /** How many newer rows of the project the part has. */
  readonly start: number;
  /** The instants of its first and its last row, in unix microseconds. */
  readonly newest: bigint;
  readonly oldest: bigint;
  /** Whether the part has no older rows of the project. */
  readonly isLast: boolean;
  readonly packed: Uint8Array;
}

/** A printed row: each character is a byte. */
export interface Row {
  readonly part: number;
  readonly time: bigint;
  /** The JSON text of each column. */
  readonly columns: readonly string[];
}

/** Which rows of the blocks to choose. */
export interface Choice extends Span {
  /** How many rows at most; one more would be known to exist. */
  readonly limit: number;
  readonly maxRows: number;
}

/** Rows, newest first; among those of one instant, by `id`. */
export interface Chosen {
  readonly rows: readonly Row[];
  /** True if more than `maxRows` rows exist. */
  readonly truncated: boolean;
}

/**
 * The first rows of a span, from all blocks of a project. Undefined if other rows might be among them: each part keeps only
 * its newest rows.
 */
export function chooseRows(
  blocks: readonly Block[],
  table: Pick<NewestTable, 'columns'>,
  choice: Choice,
): Chosen | undefined {
  const { after, limit, maxRows } = choice;
  const end = findEnd(blocks);
  const rows = unpackFirst(blocks, table, choice);
  const known = end === undefined ? rows : rows.filter((row) => isKnown(row, rows, end));
  if (known.length >= limit) return cut(known.slice(0, limit), maxRows);
  if (end === undefined || end.time <= after) return cut(known, maxRows);
  // Whatever comes next, there is more.
  const hasMore = after === earliest && limit > maxRows && known.length >= maxRows;
  return hasMore ? { rows: known.slice(0, maxRows), truncated: true } : undefined;
}

function cut(rows: readonly Row[], maxRows: number): Chosen {
  return { rows: rows.slice(0, maxRows), truncated: rows.length > maxRows };
}

/** The last row that is kept of a part. */
interface End {
  readonly time: bigint;
  readonly part: number;
}

/** The newest end of the parts that have more rows than they keep; undefined if none has. */
function findEnd(blocks: readonly Block[]): End | undefined {
  const complete = new Set(blocks.filter(({ isLast }) => isLast).map(({ part }) => part));
  const ends = new Map<number, bigint>();
  for (const { part, oldest } of blocks) {
    const end = ends.get(part);
    if (!complete.has(part) && (end === undefined || oldest < end)) ends.set(part, oldest);
  }
  const [newest] = [...ends].toSorted(([, one], [, other]) => compare(other, one));
  return newest && { part: newest[0], time: newest[1] };
}

/** Whether no row that is not kept comes before this one. */
function isKnown({ time }: Row, rows: readonly Row[], end: End): boolean {
  if (time !== end.time) return time > end.time;
  return rows.every((row) => row.time !== end.time || row.part === end.part);
}

/** Unpacks blocks until they have the first rows of a span: at least `limit` rows that are newer than all other blocks. */
function unpackFirst(
  blocks: readonly Block[],
  { columns }: Pick<NewestTable, 'columns'>,
  { after, until, limit }: Choice,
): readonly Row[] {
  const time = columns.indexOf('timestamp');
  const inOrder = blocks
    .filter(({ newest, oldest }) => newest > after && oldest <= until)
    .toSorted(
      (one, other) =>
        compare(other.newest, one.newest) || one.part - other.part || one.start - other.start,
    );
  const rows: Row[] = [];
  for (const [index, block] of inOrder.entries()) {
    for (const row of unpack(block, time)) {
      if (row.time > after && row.time <= until) rows.push(row);
    }
    const next = inOrder[index + 1]?.newest ?? earliest;
    if (rows.filter((row) => row.time > next).length >= limit) break;
  }
  return sortRows(rows, columns.indexOf('id'));
}

function unpack({ part, packed }: Block, time: number): readonly Row[] {
  return unpackRows(packed).map((line) => {
    const columns = line.split(columnSeparator);
    return { part, time: BigInt(columns[time] ?? ''), columns };
  });
}

function sortRows(rows: readonly Row[], id: number): readonly Row[] {
  const parseId = ({ columns }: Row): string => JSON.parse(columns[id] ?? 'null') ?? '';
  return rows.toSorted((one, other) => {
    if (one.time !== other.time) return compare(other.time, one.time);
    return compare(parseId(one), parseId(other));
  });
}

function compare<T extends bigint | string>(one: T, other: T): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
