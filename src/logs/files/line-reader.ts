import { createReadStream } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { quoteText } from '../../common/quote.js';
import type { LogFile } from './files.js';

/** How DuckDB reads the lines of one file. */
export interface LineReader {
  readonly file: LogFile;
  /** Whether it is nothing but lines of JSON: not compressed, not mended, none too long. */
  readonly isPlain: boolean;
  /** A query of one column `json`, NULL where the line is not JSON; blank lines are left out. */
  readonly plain: string;
  /** The same with `n`, counting from 1; slower, since lines must stay in order. */
  readonly numbered: string;
  /** Whether records stand in lines of a text; else their numbers are all there is. */
  readonly hasLines: boolean;
}

/**
 * DuckDB's own limit of one line, and ours: buffers are twice as large, one for each thread, so that
 * less than usual is enough where the lines are known, and most is tried only if need be.
 */
export const lineLimits = { least: 1_048_576, usual: 16_777_216, most: 268_435_456 } as const;

/** A file and the name under which DuckDB reads it: a link without letters that DuckDB expands. */
export interface LinkedFile {
  readonly file: LogFile;
  readonly link: string;
  /** The longest line that can be read, in bytes. */
  readonly maxLineBytes: number;
}

/** Prepares the reading of a file of lines. @throws an error of DuckDB's where the file cannot be read */
export async function openLines(
  connection: DuckDBConnection,
  linked: LinkedFile,
): Promise<LineReader> {
  const { file } = linked;
  // What is a beginning only where the file begins.
  if ((file.slice?.from.bytes ?? 0) > 0) return readText(linked);
  const array = await openArray(connection, linked);
  if (array !== undefined) return array;
  const text = readText(linked);
  const first = await mendFirst(connection, linked, text.plain);
  if (first === undefined) return text;
  const mended = `select n, case when n > 1 then json else ${quoteText(first)}::json end as json
    from (${text.numbered})`;
  return { file, isPlain: false, ...unnumbered(mended), hasLines: true };
}

/** The reading of a file that holds nothing but lines. */
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

/** A `.json` file may be one array of records, over any number of lines; undefined where it is not. */
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
 * The first record where a byte order mark hides it from DuckDB's JSON reader, or undefined: its CSV
 * reader takes the mark away. It also leaves out lines that are not UTF-8: then its first is our second.
 */
async function mendFirst(
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
  const mended = text.getRowsJson()[0]?.[0];
  return typeof mended === 'string' && mended !== second?.[0] ? mended : undefined;
}
