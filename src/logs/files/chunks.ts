import { createReadStream } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { pipeline } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Decompress } from 'fzstd';
import { printSize } from '../../process/print-size.js';
import { leadingZeros } from './file-state.js';
import type { LogFile } from './files.js';
import { lineLimits } from './line-reader.js';

/**
 * Unpacked bytes, valid until the next chunk is requested, and the number of file bytes they took.
 */
export type Chunk = readonly [bytes: Buffer, bytesRead: number];

const chunkBytes = 262_144;

/**
 * Reads a file from a position to its end, and unpacks it if it is packed. Skips zero bytes at the beginning of the file.
 * @throws Error, also of zlib or the system, if it cannot be read to its end
 */
export function readChunks(
  { path, compression }: Pick<LogFile, 'path' | 'compression'>,
  start = 0,
): AsyncGenerator<Chunk> {
  if (compression === 'none') return readPlain(path, start);
  return compression === 'gzip' ? readGzip(path) : readZstd(path);
}

const newline = 10;

/**
 * Reads a file in pieces that end at the end of a line.
 * @throws Error like {@link readChunks}, and for a line that is too long
 */
export async function* readWholeLines(
  file: Pick<LogFile, 'path' | 'compression'>,
): AsyncGenerator<Buffer> {
  let [begun, length]: [Buffer[], number] = [[], 0];
  for await (const [chunk] of readChunks(file)) {
    const end = chunk.lastIndexOf(newline) + 1;
    if (end > 0) {
      yield Buffer.concat([...begun, chunk.subarray(0, end)]);
      [begun, length] = [[], 0];
    }
    // A copy, because the next chunk overwrites this one.
    begun.push(Buffer.from(chunk.subarray(end)));
    length += chunk.length - end;
    if (length > lineLimits.max)
      throw new Error(`a line is longer than ${printSize(lineLimits.max)}`);
  }
  if (length > 0) yield Buffer.concat(begun);
}

async function* readPlain(path: string, start: number): AsyncGenerator<Chunk> {
  const handle = await open(path);
  let next: Promise<Buffer> | undefined;
  try {
    // Allocating large buffers would dominate the time for many small files.
    const { size } = await handle.stat();
    const length = Math.min(chunkBytes, size + 1);
    let [free, used] = [Buffer.allocUnsafeSlow(length), Buffer.alloc(0)];
    let at = start || leadingZeros(handle.fd);
    for (;;) {
      const bytes = await (next ?? readSome(handle, free, at));
      if (bytes.length === 0) return;
      at += bytes.length;
      // Read the next chunk while the caller processes this one.
      [free, used] = [used.length > 0 ? used : Buffer.allocUnsafeSlow(length), free];
      next = readSome(handle, free, at);
      // Awaiting the next chunk throws the error; until then, mark it as handled.
      next.catch(() => undefined);
      yield [bytes, bytes.length];
    }
  } finally {
    await next?.catch(() => undefined);
    await handle.close();
  }
}

async function readSome(file: FileHandle, buffer: Buffer, position: number): Promise<Buffer> {
  const { bytesRead } = await file.read(buffer, 0, buffer.length, position);
  return buffer.subarray(0, bytesRead);
}

async function* readGzip(path: string): AsyncGenerator<Chunk> {
  const raw = createReadStream(path);
  // An error in either stream is also thrown by the loop below.
  const unpacked = pipeline(raw, createGunzip({ chunkSize: chunkBytes }), () => undefined);
  let counted = 0;
  for await (const chunk of unpacked) {
    yield [chunk, raw.bytesRead - counted];
    counted = raw.bytesRead;
  }
  // Node ignores zeros at the end, but DuckDB does not read such a file.
  if (unpacked.bytesWritten < raw.bytesRead)
    throw new Error('bytes follow the end of the gzip data');
}

/** The number of packed bytes to unpack at a time: they unpack to a few megabytes at most. */
const packedBytes = 1024;

/** Creates a function that unpacks the next bytes of a zstd file. @throws Error for invalid bytes */
export function createZstdUnpacker(): (bytes: Uint8Array, isLast?: boolean) => Buffer {
  const unpacked: Uint8Array[] = [];
  const unpacker = new Decompress((chunk) => unpacked.push(chunk));
  return (bytes, isLast = false) => {
    try {
      // A copy, because the unpacker keeps bytes that it cannot unpack yet.
      unpacker.push(Uint8Array.from(bytes), isLast);
    } catch (error) {
      throw new Error(`not a valid zstd file (${error instanceof Error ? error.message : error})`);
    }
    return Buffer.concat(unpacked.splice(0));
  };
}

async function* readZstd(path: string): AsyncGenerator<Chunk> {
  const unpack = createZstdUnpacker();
  let isEmpty = true;
  for await (const [bytes] of readPlain(path, 0)) {
    for (let at = 0; at < bytes.length; at += packedBytes) {
      const part = bytes.subarray(at, at + packedBytes);
      isEmpty = false;
      yield [unpack(part), part.length];
    }
  }
  yield [unpack(new Uint8Array(isEmpty ? 1 : 0), true), 0];
}
