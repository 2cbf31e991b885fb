import { mkdirSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteName, quoteText } from '../../process/quote.js';
import type { LogFile } from '../files/files.js';
import { bytesToRead } from './progress.js';

/** The resources of a sort. */
export interface Staging {
  /** In DuckDB's notation, such as `4GB`. */
  readonly memoryLimit: string;
  /** The path of a temporary database file, in its own folder. */
  readonly file: string;
}

/**
 * The options to attach a database for writing. It has no write-ahead log, because an incomplete
 * database is never used, and writing the log takes a fifth of the time of a small load. With little
 * memory, row groups have a quarter of the usual size and need a quarter of the memory to build; with
 * hundreds of groups, finding the newest rows takes 50 % longer.
 */
export function attachOptions(memoryLimit: string): string {
  const withoutLog = "recovery_mode 'no_wal_writes'";
  return isTight(memoryLimit) ? `${withoutLog}, row_group_size 30720` : withoutLog;
}

const units: Readonly<Record<string, number>> = { KB: 1e3, MB: 1e6, GB: 1e9, TB: 1e12 };

function limitBytes(limit: string): number {
  return Number.parseFloat(limit) * (units[limit.slice(-2).toUpperCase()] ?? 1);
}

/** The approximate number of bytes of lines per byte of a compressed file. */
const compressionFactor = 12;
/** The maximum size of rows to sort at once, as a share of the memory limit, measured by their lines. */
const sortedShare = 0.25;
/** With more memory than this, DuckDB can sort any amount of rows on disk. */
const enoughBytes = 450_000_000;

/** Whether memory is so limited that only one thread is used and wide rows are sorted in pieces. */
export function isTight(memoryLimit: string): boolean {
  return limitBytes(memoryLimit) < enoughBytes;
}

/**
 * The next memory limit to try if a small one is not enough, or undefined: exceeding the limit is better
 * than not loading very wide rows at all.
 */
export function moreMemory(memoryLimit: string): string | undefined {
  if (!isTight(memoryLimit)) return undefined;
  return ['200MB', '500MB'].find((limit) => limitBytes(limit) > limitBytes(memoryLimit));
}

/** Estimates the size of the files as lines, in bytes; a file that cannot be read counts as 0. */
export function estimateBytes(
  files: readonly Pick<LogFile, 'path' | 'format' | 'compression' | 'slice'>[],
): number {
  return files.reduce((sum, file) => {
    const isCompressed = file.format === 'parquet' || file.compression !== 'none';
    return sum + bytesToRead(file) * (isCompressed ? compressionFactor : 1);
  }, 0);
}

/** The database of a stored part, as {@link estimateBytes} takes it. */
export function storedFile({ file: path }: { readonly file: string }) {
  return { path, format: 'parquet', compression: 'none' } as const;
}

/** The rows to sort and write. */
export interface Sorting {
  /** The name of the source, and of its table in `out.main`. */
  readonly name: string;
  /** A query of rows that all have a timestamp. */
  readonly query: string;
  /** Their approximate size as lines. */
  readonly bytes: number;
  readonly staging: Staging;
}

/**
 * Writes the rows of a query to a table in order and returns their number. DuckDB sorts on disk, but
 * keeps some rows of each run in memory. If wide rows might exceed the memory limit, or do, the rows
 * are sorted in pieces, one after another.
 */
export async function writeSorted(connection: DuckDBConnection, sorting: Sorting): Promise<number> {
  const { name, query, bytes, staging } = sorting;
  const maxBytesAtOnce = limitBytes(staging.memoryLimit) * sortedShare;
  const pieces = Math.max(2, Math.ceil(bytes / maxBytesAtOnce));
  if (isTight(staging.memoryLimit) && bytes > maxBytesAtOnce)
    return writeInPieces(connection, sorting, pieces);
  try {
    const result = await connection.run(
      `create table out.main.${quoteName(name)} as ${query} ${inOrder}`,
    );
    return Number((await result.getRowsJson())[0]?.[0] ?? 0);
  } catch (error) {
    if (!isOutOfMemory(error)) throw error;
    return writeInPieces(connection, sorting, pieces);
  }
}

const inOrder = 'order by "timestamp", id';

/** Whether an error says that the memory limit is exceeded. */
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
    for (const [index, from] of bounds.entries()) {
      const to = bounds[index + 1];
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

/** The first time of each piece; rows with the same time are in the same piece. */
async function findBounds(
  connection: DuckDBConnection,
  pieces: number,
): Promise<readonly string[]> {
  const shares = Array.from({ length: pieces - 1 }, (_, index) => (index + 1) / pieces);
  const reader = await connection.runAndReadAll(`
    with found as (select min("timestamp") as earliest,
      approx_quantile("timestamp", [${shares.join(', ')}]) as bounds from stage.main.rows)
    select distinct bound::varchar, bound from (
      select earliest as bound from found union all select unnest(bounds) from found
    ) where bound >= (select earliest from found) order by bound`);
  return reader.getRowsJson().map(([bound]) => String(bound));
}
