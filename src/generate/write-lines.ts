import { createWriteStream } from 'node:fs';
import type { Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
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

/** Opens a file that is written in chunks; flushing waits until the chunk is written. */
export function openLines(
  file: string,
  { gzip, fill }: { readonly gzip: boolean; readonly fill: Fill },
): Target {
  const buffer = Buffer.allocUnsafeSlow(chunkBytes + maxRecordBytes);
  let end = 0;
  const { stream, done } = openStream(file, gzip);
  const flush = async () => {
    const chunk = buffer.subarray(0, end);
    end = 0;
    if (chunk.length > 0) await Promise.race([write(stream, chunk), done]);
  };
  return {
    add(record) {
      end = fill(buffer, end, record);
      return end > chunkBytes;
    },
    flush,
    close: async () => {
      await flush();
      stream.end();
      await done;
    },
  };
}

function openStream(
  file: string,
  gzip: boolean,
): { readonly stream: Writable; readonly done: Promise<void> } {
  const target = createWriteStream(file);
  if (!gzip) return { stream: target, done: handled(closed(target)) };
  const zip = createGzip({ level: 4 });
  return { stream: zip, done: handled(pipeline(zip, target)) };
}

/** Prevents an unhandled rejection: the error is thrown by the next flush or close. */
function handled(done: Promise<void>): Promise<void> {
  done.catch(() => {});
  return done;
}

function closed(stream: Writable): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.once('close', resolve);
    stream.once('error', reject);
  });
}

/** Writes a chunk; settles when its buffer can be reused. */
function write(stream: Writable, chunk: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(chunk, (error) => (error ? reject(error) : resolve()));
  });
}
