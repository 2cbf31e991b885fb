import { createReadStream, createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import type { LogFile } from './load-file.js';

/**
 * The lines of a slice as a file of their own, which nobody writes to any more; a whole file as it is.
 * @throws an error of the system's
 */
export async function cutSlice(file: LogFile, newPath: () => string): Promise<LogFile> {
  const { path, slice } = file;
  if (slice === undefined) return file;
  const copy = newPath();
  const bytes = { start: slice.from.bytes, end: slice.toBytes - 1 };
  const isEmpty = slice.toBytes <= slice.from.bytes;
  const reader = isEmpty ? [Buffer.alloc(0)] : createReadStream(path, bytes);
  await pipeline(reader, createWriteStream(copy, { mode: 0o600 }));
  return { ...file, path: copy };
}
