import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { LogFile } from './files.js';

/**
 * Unpacked bytes, valid until the next chunk is requested, and the number of file bytes they took.
 */
export type Chunk = readonly [bytes: Buffer, bytesRead: number];

/** A range of a file in bytes; `to` is exclusive, and Infinity for the end of the file. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** The whole file. */
export const wholeFile: Range = { from: 0, to: Number.POSITIVE_INFINITY };

const chunkBytes = 262_144;

/**
 * Reads a gzip file unpacked, or a range of any other file as it is.
 * @throws an error of zlib or the system if it cannot be read to its end
 */
export function readChunks(
  { path, compression }: Pick<LogFile, 'path' | 'compression'>,
  range: Range = wholeFile,
): AsyncGenerator<Chunk> {
  return compression === 'gzip' ? readPacked(path) : readPlain(path, range);
}

async function* readPlain(path: string, { from, to }: Range): AsyncGenerator<Chunk> {
  const handle = await open(path);
  let next: Promise<Buffer> | undefined;
  try {
    // Allocating large buffers would dominate the time for many small files.
    const { size } = await handle.stat();
    const length = Math.min(chunkBytes, size + 1);
    let [free, used] = [Buffer.allocUnsafeSlow(length), Buffer.alloc(0)];
    let at = from;
    for (;;) {
      const bytes = await (next ?? readSome(handle, free, { from: at, to }));
      if (bytes.length === 0) return;
      at += bytes.length;
      // Read the next chunk while the caller processes this one.
      [free, used] = [used.length > 0 ? used : Buffer.allocUnsafeSlow(length), free];
      next = readSome(handle, free, { from: at, to });
      // A failure is thrown when the next chunk is awaited; mark it as handled until then.
      next.catch(() => undefined);
      yield [bytes, bytes.length];
    }
  } finally {
    await next?.catch(() => undefined);
    await handle.close();
  }
}

async function readSome(file: FileHandle, buffer: Buffer, { from, to }: Range): Promise<Buffer> {
  const length = Math.min(buffer.length, to - from);
  if (length <= 0) return buffer.subarray(0, 0);
  const { bytesRead } = await file.read(buffer, 0, length, from);
  return buffer.subarray(0, bytesRead);
}

async function* readPacked(path: string): AsyncGenerator<Chunk> {
  const raw = createReadStream(path);
  // An error in either stream is also thrown by the loop below.
  const unpacked = pipeline(raw, createGunzip({ chunkSize: chunkBytes }), () => undefined);
  let counted = 0;
  for await (const chunk of unpacked) {
    yield [chunk as Buffer, raw.bytesRead - counted];
    counted = raw.bytesRead;
  }
  // Node ignores zeros at the end, but DuckDB does not read such a file.
  if (unpacked.bytesWritten < raw.bytesRead) throw new Error(trailingBytes);
}

/** The message of a gzip file that has bytes after its end. */
const trailingBytes = 'bytes follow the end of the gzip data';
