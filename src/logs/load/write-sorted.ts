import { mkdirSync, rmSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../common/quote.js';
import type { LogFile } from '../files/files.js';

/** What a sort may take, and where rows wait for theirs. */
export interface Staging {
  /** As DuckDB reads it: `4GB`. */
  readonly memoryLimit: string;
  /** A database file that is not there yet, in a folder of its own. */
  readonly file: string;
}

/**
 * How a database is attached that is written: one that was not built to its end is never used, so that no
 * log of what is written saves it, and writing one takes a fifth of the time of a small load. With
 * little memory groups of rows are a quarter as large as usual, and put together in a quarter of it;
 * where there are hundreds of groups, the newest rows take half as long again to find.
 */
export function attachOptions(memoryLimit: string): string {
  const withoutLog = "recovery_mode 'no_wal_writes'";
  return isTight(memoryLimit) ? `${withoutLog}, row_group_size 30720` : withoutLog;
}

const units: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

function bytesOf(limit: string): number {
  return Number.parseFloat(limit) * (units[limit.slice(-2).toUpperCase()] ?? 1);
}

/** What a byte of a file becomes, about. */
const packedFactor = 12;
/** Of the memory limit, the rows that are sorted at once, about, by their size in lines. */
const sortedShare = 0.25;
/** With more memory than this DuckDB sorts whatever there is, on disk. */
const enoughBytes = 450_000_000;

/** Whether so little memory is given that one thread must do and wide rows are not sorted all at once. */
export function isTight(memoryLimit: string): boolean {
  return bytesOf(memoryLimit) < enoughBytes;
}

/**
 * The next limit to load with where a small one does not suffice, or undefined: rows that are very wide
 * are better loaded with more memory than not at all.
 */
export function moreMemory(memoryLimit: string): string | undefined {
  if (!isTight(memoryLimit)) return undefined;
  return ['200MB', '500MB'].find((limit) => bytesOf(limit) > bytesOf(memoryLimit));
}

/** The size of files as lines, about, in bytes. */
export function estimateBytes(
  files: readonly Pick<LogFile, 'path' | 'format' | 'compression'>[],
): number {
  return files.reduce((sum, file) => sum + sizeOf(file), 0);
}

function sizeOf({
  path,
  format,
  compression,
}: Pick<LogFile, 'path' | 'format' | 'compression'>): number {
  const isPacked = format === 'parquet' || compression !== 'none';
  return statSync(path).size * (isPacked ? packedFactor : 1);
}

/** What is to be sorted. */
export interface Sorting {
  /** The source's name, and its table's in `out.main`. */
  readonly name: string;
  /** Rows that all have a timestamp. */
  readonly query: string;
  /** How many they are, about, as lines. */
  readonly bytes: number;
  /** Whether the query gives them in their order, so that they need not be sorted. */
  readonly isInOrder: boolean;
  readonly staging: Staging;
}

/**
 * Writes the rows of a query to a table in order, and gives their number. DuckDB puts on disk what
 * it cannot hold, but of wide rows it must hold some for each piece that it has put there: where
 * that may be too much, or proves to be, pieces of them are sorted one after another.
 */
export async function writeSorted(connection: DuckDBConnection, sorting: Sorting): Promise<number> {
  const { name, query, bytes, isInOrder, staging } = sorting;
  const atOnce = bytesOf(staging.memoryLimit) * sortedShare;
  const pieces = Math.max(2, Math.ceil(bytes / atOnce));
  if (isTight(staging.memoryLimit) && bytes > atOnce && !isInOrder)
    return writeInPieces(connection, sorting, pieces);
  try {
    const result = await connection.run(
      `create table out.main.${quoteName(name)} as ${query} ${isInOrder ? '' : inOrder}`,
    );
    return Number((await result.getRowsJson())[0]?.[0] ?? 0);
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    return writeInPieces(connection, sorting, pieces);
  }
}

const inOrder = 'order by "timestamp", id';

/** Whether an error says that the memory limit does not suffice. */
export function isOutOfMemory(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('Out of Memory');
}

async function writeInPieces(
  connection: DuckDBConnection,
  { name, query, staging }: Sorting,
  pieces: number,
): Promise<number> {
  const table = `out.main.${quoteName(name)}`;
  mkdirSync(dirname(staging.file), { recursive: true });
  await connection.run(
    `attach ${quoteText(staging.file)} as stage (${attachOptions(staging.memoryLimit)})`,
  );
  try {
    await connection.run(`create table stage.main.rows as ${query}`);
    await connection.run(`create table ${table} as from stage.main.rows limit 0`);
    const bounds = await findBounds(connection, pieces);
    for (const [place, from] of bounds.entries()) {
      const to = bounds[place + 1];
      const before = to === undefined ? '' : `and "timestamp" < ${quoteText(to)}::timestamptz`;
      await connection.run(`insert into ${table} from stage.main.rows
        where "timestamp" >= ${quoteText(from)}::timestamptz ${before} ${inOrder}`);
    }
    const counted = await connection.runAndReadAll(`select count(*)::double from ${table}`);
    return Number(counted.getRowsJson()[0]?.[0] ?? 0);
  } finally {
    await connection.run('detach stage');
    rmSync(staging.file, { force: true });
  }
}

/** The first instant of each piece; of one instant all rows are in one piece. */
async function findBounds(
  connection: DuckDBConnection,
  pieces: number,
): Promise<readonly string[]> {
  const shares = Array.from({ length: pieces - 1 }, (_, place) => (place + 1) / pieces);
  const reader = await connection.runAndReadAll(`
    with found as (select min("timestamp") as least,
      approx_quantile("timestamp", [${shares.join(', ')}]) as bounds from stage.main.rows)
    select distinct bound::varchar, bound from (
      select least as bound from found union all select unnest(bounds) from found
    ) where bound >= (select least from found) order by bound`);
  return reader.getRowsJson().map(([bound]) => String(bound));
}
