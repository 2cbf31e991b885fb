import { createReadStream } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '../../common/quote.js';
import type { LogFile } from './files.js';

/** How DuckDB reads the lines of one file. */
export interface LineReader {
  readonly file: LogFile;
  /** Whether `read_json` can read it directly: uncompressed lines, not repaired, none too long. */
  readonly isPlain: boolean;
  /** A query of one column `json`, NULL for lines that are not JSON; blank lines are skipped. */
  readonly plain: string;
  /** The same with a row number `n` from 1; slower, because the lines must stay in order. */
  readonly numbered: string;
  /** Whether records have line numbers; if not, faults are reported by record number. */
  readonly hasLines: boolean;
}

/**
 * Maximum line lengths in bytes: `usual` is DuckDB's default. Each thread has a buffer of twice the
 * size, so a smaller limit is used if the lines are known to be short, and `max` only if necessary.
 */
export const lineLimits = { min: 1_048_576, usual: 16_777_216, max: 268_435_456 } as const;

/** A file and the path under which DuckDB reads it: a link, if its own path has glob characters. */
export interface LinkedFile {
  readonly file: LogFile;
  readonly link: string;
  /** The longest line that can be read, in bytes. */
  readonly maxLineBytes: number;
}

/** Prepares reading a file of lines. @throws an error of DuckDB if the file cannot be read */
export async function openLines(
  connection: DuckDBConnection,
  linked: LinkedFile,
): Promise<LineReader> {
  const { file } = linked;
  // Arrays and byte order marks are recognized only at the beginning of a file.
  if ((file.slice?.from.bytes ?? 0) > 0) return readText(linked);
  const array = await openArray(connection, linked);
  if (array !== undefined) return array;
  const text = readText(linked);
  const first = await repairFirst(connection, linked, text.plain);
  if (first === undefined) return text;
  const repaired = `select n, case when n > 1 then json else ${quoteText(first)}::json end as json
    from (${text.numbered})`;
  return { file, isPlain: false, ...unnumbered(repaired), hasLines: true };
}

/** Reads a file that contains only lines of JSON. */
export function readText({ file, link, maxLineBytes }: LinkedFile): LineReader {
  const compression = file.compression === 'none' ? 'uncompressed' : file.compression;
  const plain = `select json from read_json_objects(${quoteText(link)},
    format = 'newline_delimited', compression = '${compression}', ignore_errors = true,
    maximum_object_size = ${maxLineBytes})`;
  const numbered = `select row_number() over () as n, json from (${plain})`;
  const isPlain = file.compression === 'none' && maxLineBytes <= lineLimits.usual;
  return { file, isPlain, plain, numbered, hasLines: true };
}

function unnumbered(numbered: string): Pick<LineReader, 'plain' | 'numbered'> {
  return { numbered, plain: `select json from (${numbered})` };
}

/**
 * Reads a `.json` file that is one array of records, over any number of lines; undefined if it is
 * not one.
 */
async function openArray(
  connection: DuckDBConnection,
  { file, link, maxLineBytes }: LinkedFile,
): Promise<LineReader | undefined> {
  if (!file.name.endsWith('.json') || !(await beginsWithBracket(file.path))) return undefined;
  const query = `select json from read_json_objects(${quoteText(link)}, format = 'array',
    compression = 'uncompressed', maximum_object_size = ${maxLineBytes})`;
  const numbered = `select row_number() over () as n, json from (${query})`;
  try {
    await connection.run(`select count(json) from (${query})`);
    return { file, isPlain: false, plain: query, numbered, hasLines: false };
  } catch {
    return undefined;
  }
}

async function beginsWithBracket(path: string): Promise<boolean> {
  const stream = createReadStream(path, { end: 1023, encoding: 'utf8' });
  const [start = ''] = await stream.toArray();
  return String(start).trimStart().startsWith('[');
}

/**
 * The first record if a byte order mark hides it from DuckDB's JSON reader, else undefined. DuckDB's
 * CSV reader removes the mark; but it also skips lines that are not UTF-8, so its first line may be
 * our second.
 */
async function repairFirst(
  connection: DuckDBConnection,
  { file, link }: LinkedFile,
  plain: string,
): Promise<string | undefined> {
  const reader = await connection.runAndReadAll(`${plain} limit 2`);
  const [first, second] = reader.getRowsJson();
  if (first === undefined || first[0] !== null) return undefined;
  const text = await connection.runAndReadAll(`
    select text from (select text from read_csv(${quoteText(link)}, columns = {'text': 'VARCHAR'},
      auto_detect = false, header = false, delim = e'\\x01', quote = '', escape = '',
      compression = '${file.compression}', strict_mode = false, ignore_errors = true) limit 1) where json_valid(text)`);
  const repaired = text.getRowsJson()[0]?.[0];
  return typeof repaired === 'string' && repaired !== second?.[0] ? repaired : undefined;
}
