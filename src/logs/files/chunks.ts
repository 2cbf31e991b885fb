import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { LogFile } from './files.js';

/** Some bytes, to be read before the next are asked for, and how many of the file they took. */
export type Chunk = readonly [bytes: Buffer, bytesRead: number];

/** Some of a file, in bytes; the end is no part of it, and Infinity where the file ends. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/** All of a file. */
export const wholeFile: Range = { from: 0, to: Number.POSITIVE_INFINITY };

const chunkBytes = 262_144;

/**
 * What a file holds, unpacked where it is of gzip; of another, a range of it.
 * @throws an error of zlib's or the system's where it cannot be read to its end
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
    // A large buffer for each of many small files would be most of the work.
    const { size } = await handle.stat();
    const length = Math.min(chunkBytes, size + 1);
    let [free, used] = [Buffer.allocUnsafeSlow(length), Buffer.alloc(0)];
    let at = from;
    for (;;) {
      const bytes = await (next ?? readSome(handle, free, { from: at, to }));
      if (bytes.length === 0) return;
      at += bytes.length;
      // The next are on their way while these are worked on.
      [free, used] = [used.length > 0 ? used : Buffer.allocUnsafeSlow(length), free];
      next = readSome(handle, free, { from: at, to });
      // What fails is thrown when it is their turn: until then nobody awaits them.
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
  // What fails ends the reading of the last stream with the same error.
  const unpacked = pipeline(raw, createGunzip({ chunkSize: chunkBytes }), () => undefined);
  let told = 0;
  for await (const chunk of unpacked) {
    yield [chunk as Buffer, raw.bytesRead - told];
    told = raw.bytesRead;
  }
}
