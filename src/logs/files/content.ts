import type { LogFile } from './files.js';
import { isGzip, isZstd } from './packed-end.js';

/** How many bytes show what a file contains. */
export const headBytes = 1024;

/** What the bytes of a file are: lines of UTF-8, an array or objects of several lines in UTF-8, a text in UTF-16, or packed data. */
export type Content = 'lines' | 'array' | 'utf-16le' | 'utf-16be' | 'gzip' | 'zstd';

/** The byte order mark of UTF-8. */
export const byteOrderMark = Buffer.from('\ufeff');

/** Recognizes the content of a file by its first bytes; only one whose name ends with `.json` may be an array. */
export function contentOf(head: Buffer, { name }: Pick<LogFile, 'name'>): Content {
  if (isGzip(head)) return 'gzip';
  if (isZstd(head)) return 'zstd';
  const text = head.toString('latin1');
  if (/^(?:\xff\xfe|[^\0]\0)/.test(text)) return 'utf-16le';
  if (/^(?:\xfe\xff|\0[^\0])/.test(text)) return 'utf-16be';
  const isArray =
    /\.json(?:\.\d+)?(?:\.gz|\.zst)?$/.test(name) && /^(?:\xef\xbb\xbf)?\s*\[/.test(text);
  return isArray || /^(?:\xef\xbb\xbf)?\s*\{\s*\n/.test(text) ? 'array' : 'lines';
}
