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

/** More bytes than the longest record has. */
export const maxRecordBytes = 64 * 1024;
const chunkBytes = 512 * 1024;
const compress = promisify<Uint8Array, { level: number }, Buffer>(gzipWithCallback);

/** Opens a file that is written in chunks, each of them a member of the gzip file; flushing waits until one is written. */
export function openLines(
  file: string,
  { gzip, fill }: { readonly gzip: boolean; readonly fill: Fill },
): Target {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes + maxRecordBytes);
  let end = 0;
  const flush = async () => {
    const chunk = buffer.subarray(0, end);
    end = 0;
    if (chunk.length > 0)
      await appendFile(file, gzip ? await compress(chunk, { level: 4 }) : chunk);
  };
  return {
    add(record) {
      end = fill(buffer, end, record);
      return end > chunkBytes;
    },
    flush,
    close: flush,
  };
}
