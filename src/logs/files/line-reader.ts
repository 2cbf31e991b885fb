import { quoteText } from '../../common/quote.js';
import type { LogFile } from './files.js';

/** How DuckDB reads the lines of one file. */
export interface LineReader {
  readonly file: LogFile;
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

/** Reads a file that contains only lines of JSON. */
export function readText({ file, link, maxLineBytes }: LinkedFile): LineReader {
  const compression = file.compression === 'none' ? 'uncompressed' : file.compression;
  const plain = `select json from read_json_objects(${quoteText(link)},
    format = 'newline_delimited', compression = '${compression}', ignore_errors = true,
    maximum_object_size = ${maxLineBytes})`;
  const numbered = `select row_number() over () as n, json from (${plain})`;
  return { file, plain, numbered, hasLines: true };
}
