import { rm } from 'node:fs/promises';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '../../common/quote.js';
import { emptyShape } from '../columns/shape.js';
import { isLines } from '../files/file-state.js';
import type { LogFile } from '../files/files.js';
import { type LinkedFile, lineLimits, openLines } from '../files/line-reader.js';
import { mapLines } from '../files/map-lines.js';
import { openParquet } from '../parquet/parquet.js';
import { linkTo } from './link-to.js';

/** What mapping needs of a load. */
export interface MapContext {
  readonly connection: DuckDBConnection;
  readonly newPath: () => string;
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
  if (isLines(file) || file.compression === 'gzip') {
    await mapLines(file, mapping, path);
  } else {
    const lines = context.newCopyPath();
    await writeLines(context, file, lines);
    await mapLines({ path: lines, compression: 'none' }, mapping, path);
    await rm(lines);
  }
  return { ...file, path, format: 'lines', compression: 'none' };
}

/** Writes records that only DuckDB can read as lines: of Parquet, of zstd, or of an array. */
async function writeLines(context: MapContext, file: LogFile, path: string): Promise<void> {
  const { connection } = context;
  const write = async (maxLineBytes: number) => {
    const linked = { file, link: linkTo(context, file), maxLineBytes };
    const numbered = await numberedOf(connection, linked);
    // A line break in JSON is white space, because strings escape theirs.
    await connection.run(`copy (
        select coalesce(translate(json::varchar, chr(10) || chr(13), '  '), '!')
        from (${numbered}) order by n
      ) to ${quoteText(path)} (format csv, header false, quote '', escape '', delimiter e'\\x01')`);
  };
  await write(lineLimits.usual).catch((error: unknown) => {
    if (!String(error).includes('maximum_object_size')) throw error;
    return write(lineLimits.max);
  });
}

async function numberedOf(connection: DuckDBConnection, linked: LinkedFile): Promise<string> {
  if (linked.file.format === 'lines') return (await openLines(connection, linked)).numbered;
  const contents = { declared: [], shape: emptyShape() };
  return (await openParquet(connection, linked, contents)).reader.numbered;
}
