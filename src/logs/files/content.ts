import type { LogFile } from './files.js';
import { isGzip, isZstd } from './packed-end.js';

/** The number of bytes that reveal the content of a file. */
export const headBytes = 1024;

/** The content of a file: lines of UTF-8, an array or multi-line objects in UTF-8, UTF-16, or packed data. */
export type Content = 'lines' | 'array' | 'utf-16le' | 'utf-16be' | 'gzip' | 'zstd';

/** The byte order mark of UTF-8. */
export const byteOrderMark = Buffer.from('\ufeff');

/** Recognizes the content of a file by its first bytes; only a file whose name ends with `.json` may be an array. */
export function recognizeContent(head: Buffer, { name }: Pick<LogFile, 'name'>): Content {
  if (isGzip(head)) return 'gzip';
  if (isZstd(head)) return 'zstd';
  const text = head.toString('latin1');
  if (/^(?:\xff\xfe|(?:[\t\n\r -~]\0){2})/.test(text)) return 'utf-16le';
  if (/^(?:\xfe\xff|(?:\0[\t\n\r -~]){2})/.test(text)) return 'utf-16be';
  const isArray =
    /\.json(?:\.\d+)?(?:\.gz|\.zst)?$/.test(name) && /^(?:\xef\xbb\xbf)?\s*\[/.test(text);
  return isArray || /^(?:\xef\xbb\xbf)?\s*\{\s*\n/.test(text) ? 'array' : 'lines';
}
