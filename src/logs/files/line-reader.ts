import { resolve } from 'node:path';
import { quoteText } from '../../process/quote.js';
import type { LogFile } from './files.js';

/**
 * Maximum line lengths in bytes: `usual` is DuckDB's default. Each thread has a buffer of twice the
 * size, so a smaller limit is used if the lines are known to be short, and `max` only if necessary. `max` is half of
 * Node's longest string, because mapping can make a line longer.
 */
export const lineLimits = { min: 1_048_576, usual: 16_777_216, max: 268_435_456 } as const;

/** Lines with deeper nesting are not loaded. */
export const maxDepth = 64;

/** SQL for the path of a file; escapes the characters that DuckDB would expand. */
export function pathSql({ path }: Pick<LogFile, 'path'>): string {
  return quoteText(resolve(path).replaceAll(/[*?[]/g, '[$&]'));
}

/** Returns the options of {@link readLines} for a file. `maxLineBytes` is the length of its longest line. */
export function lineOptions({ compression }: LogFile, maxLineBytes: number): string {
  const packing = compression === 'none' ? 'uncompressed' : compression;
  return `format = 'newline_delimited', compression = '${packing}', ignore_errors = true,
    maximum_object_size = ${maxLineBytes}`;
}

/**
 * A query of one column `json` of files with the same options: NULL for lines that are not JSON. Blank lines are
 * skipped.
 */
export function readLines(files: readonly LogFile[], options: string): string {
  return `select json from read_json_objects([${files.map(pathSql).join(', ')}], ${options})`;
}

/** The lines of a file, the options of {@link readLines}, and the SQL that reads their `json`. */
export interface Lines {
  readonly file: LogFile;
  readonly options: string;
  readonly json: string;
}

/**
 * Queries of `json` and `record`, the text of a line as written: which numbers are quoted in `json` depends on other
 * records. One query reads all files that are read alike, because DuckDB plans each query with all columns.
 */
export function readAlike(lines: readonly Lines[]): readonly string[] {
  const alike = new Map<string, Lines & { readonly files: LogFile[] }>();
  for (const each of lines) {
    const key = `${each.options} ${each.json}`;
    const group = alike.get(key) ?? { ...each, files: [] };
    group.files.push(each.file);
    alike.set(key, group);
  }
  return [...alike.values()].map(({ json, files, options }) => {
    return `select ${json} as json, json::varchar as record from (${readLines(files, options)})`;
  });
}
