import { appendFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import type { Fill, PendingRecord } from './fill.js';

/** An open file of records. */
export interface Target {
  /** Returns true if the target must be flushed before the next record. */
  readonly add: (record: PendingRecord) => boolean;
  readonly flush: () => Promise<void>;
  readonly close: () => Promise<void>;
}

const chunkLength = 512 * 1024;
const compress = promisify<string, { level: number }, Buffer>(gzipWithCallback);

/** Opens a file that is written in chunks, each a member of the gzip file; flushing waits until a chunk is written. */
export function openLines(
  file: string,
  { gzip, fill }: { readonly gzip: boolean; readonly fill: Fill },
): Target {
  let chunk = '';
  const flush = async () => {
    const text = chunk;
    chunk = '';
    if (text !== '') await appendFile(file, gzip ? await compress(text, { level: 4 }) : text);
  };
  return {
    add(record) {
      chunk += fill(record);
      return chunk.length > chunkLength;
    },
    flush,
    close: flush,
  };
}
