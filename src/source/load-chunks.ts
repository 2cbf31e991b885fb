import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import type { LogFile } from './load-file.js';

/** Some bytes, to be read before the next are asked for, and how many of the file they took. */
export type Chunk = readonly [bytes: Buffer, bytesRead: number];

const chunkBytes = 262_144;

/**
 * What a file holds, unpacked where it is of gzip.
 * @throws an error of zlib's or the system's where it cannot be read to its end
 */
export function readChunks({ path, compression }: LogFile): AsyncGenerator<Chunk> {
  return compression === 'gzip' ? readPacked(path) : readPlain(path);
}

async function* readPlain(path: string): AsyncGenerator<Chunk> {
  const handle = await open(path);
  try {
    // A large buffer for each of many small files would be most of the work.
    const { size } = await handle.stat();
    const buffer = Buffer.allocUnsafeSlow(Math.min(chunkBytes, size + 1));
    for (;;) {
      const { bytesRead } = await handle.read(buffer, 0, buffer.length, null);
      if (bytesRead === 0) return;
      yield [buffer.subarray(0, bytesRead), bytesRead];
    }
  } finally {
    await handle.close();
  }
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
