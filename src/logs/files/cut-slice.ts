import { constants, createReadStream, createWriteStream } from 'node:fs';
import { chmod, copyFile, stat, truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { FileSlice, LogFile } from './files.js';

/**
 * Copies the lines of a slice to a file that no other process writes to. Returns a whole file unchanged, unless DuckDB cannot
 * open its path.
 * @throws an error of the system
 */
export async function cutSlice(file: LogFile, newPath: () => string): Promise<LogFile> {
  const { path, slice } = file;
  if (slice === undefined) return hasOddName(path) ? copyWhole(file, newPath()) : file;
  const copy = newPath();
  if (slice.from.bytes === 0) await copyStart(path, copy, slice.toBytes);
  else await copyBytes(path, copy, slice);
  return { ...file, path: copy };
}

/** DuckDB does not find a file whose path has both a backslash and a character that it would expand. */
function hasOddName(path: string): boolean {
  return /[*?[]/.test(path) && path.includes('\\');
}

async function copyWhole(file: LogFile, copy: string): Promise<LogFile> {
  await copyFile(file.path, copy, constants.COPYFILE_FICLONE);
  return { ...file, path: copy };
}

/** Copies a file up to a byte. Takes no time and no space on file systems that share blocks between copies (reflinks). */
export async function copyStart(path: string, copy: string, toBytes: number): Promise<void> {
  await copyFile(path, copy, constants.COPYFILE_FICLONE);
  // The copy inherits the mode of the log, which may be read-only.
  await chmod(copy, 0o600);
  const { size } = await stat(copy);
  if (size > toBytes) await truncate(copy, toBytes);
}

async function copyBytes(path: string, copy: string, { from, toBytes }: FileSlice): Promise<void> {
  const bytes = { start: from.bytes, end: toBytes - 1 };
  const reader = toBytes <= from.bytes ? [Buffer.alloc(0)] : createReadStream(path, bytes);
  await pipeline(reader, createWriteStream(copy, { mode: 0o600 }));
}
