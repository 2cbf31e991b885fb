import { resolve } from 'node:path';
import { quoteText } from '../../common/quote.js';
import type { LogFile } from './files.js';

/** How DuckDB reads the lines of one file. */
export interface LineReader {
  readonly file: LogFile;
  /** A query of one column `json`, NULL for lines that are not JSON; blank lines are skipped. */
  readonly plain: string;
  /** The same with a row number `n` from 1; slower, because the lines must stay in order. */
  readonly numbered: string;
}

/**
 * Maximum line lengths in bytes: `usual` is DuckDB's default. Each thread has a buffer of twice the
 * size, so a smaller limit is used if the lines are known to be short, and `max` only if necessary.
 */
export const lineLimits = { min: 1_048_576, usual: 16_777_216, max: 268_435_456 } as const;

/** SQL for the path of a file, also of one with characters that DuckDB would expand. */
export function pathSql({ path }: Pick<LogFile, 'path'>): string {
  return quoteText(resolve(path).replaceAll(/[*?[]/g, '[$&]'));
}

/** Reads a file that contains only lines of JSON, the longest of which has so many bytes. */
export function readText(file: LogFile, maxLineBytes: number): LineReader {
  const compression = file.compression === 'none' ? 'uncompressed' : file.compression;
  const plain = `select json from read_json_objects(${pathSql(file)},
    format = 'newline_delimited', compression = '${compression}', ignore_errors = true,
    maximum_object_size = ${maxLineBytes})`;
  const numbered = `select row_number() over () as n, json from (${plain})`;
  return { file, plain, numbered };
}
