import { rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '../../common/quote.js';
import type { LogFile } from '../files/files.js';
import { mapLines } from '../files/map-lines.js';
import { openParquet } from '../parquet/parquet.js';
import type { Mapping } from '../shapes/mapping.js';

/** What mapping needs of a load. */
export interface MapContext {
  readonly connection: DuckDBConnection;
  readonly newCopyPath: () => string;
}

/**
 * Writes the records of a file with the columns of its source to a file of our own, each on its line;
 * returns a file without a mapping unchanged.
 * @throws an error of DuckDB, zlib or the system if the file cannot be read
 */
export async function mapFile(context: MapContext, file: LogFile): Promise<LogFile> {
  const { mapping } = file;
  if (mapping === undefined) return file;
  const path = context.newCopyPath();
  const plain = { ...file, path, format: 'lines', compression: 'none' } as const;
  if (file.format === 'lines') return { ...plain, ...(await mapTo(path, file, mapping)) };
  const lines = { ...plain, path: context.newCopyPath() };
  await writeLines(context, file, lines.path);
  // A time of Parquet without a zone is UTC.
  const { timezone: _, ...inUtc } = mapping;
  const mapped = { ...plain, ...(await mapTo(path, lines, inUtc)) };
  await rm(lines.path);
  return mapped;
}

async function mapTo(path: string, file: LogFile, mapping: Mapping): Promise<Partial<LogFile>> {
  const takesFileTime = await mapLines(file, mapping, path);
  return takesFileTime ? { takesFileTime } : {};
}

/** Writes the records of a Parquet file as lines. */
async function writeLines(context: MapContext, file: LogFile, path: string): Promise<void> {
  const { connection } = context;
  const { numbered } = (await openParquet(connection, file, { declared: [] })).reader;
  // A line break in JSON is white space, because strings escape theirs.
  await connection.run(`copy (
      select coalesce(translate(json::varchar, chr(10) || chr(13), '  '), '!')
      from (${numbered}) order by n
    ) to ${quoteText(path)} (format csv, header false, quote '', escape '', delimiter e'\\x01')`);
}
