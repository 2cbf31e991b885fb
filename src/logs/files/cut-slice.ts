import { constants, createReadStream, createWriteStream } from 'node:fs';
import { chmod, copyFile, stat, truncate } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import type { LogFile } from './files.js';

/**
 * Copies the lines of a slice to a file that no other process writes to. Returns a whole file unchanged, unless DuckDB
 * cannot open its path: it does not find a path with both a backslash and a character that it would expand.
 * @throws an error of the system
 */
export async function cutSlice(file: LogFile, newPath: () => string): Promise<LogFile> {
  const { path, slice } = file;
  if (slice === undefined && !(/[*?[]/.test(path) && path.includes('\\'))) return file;
  const copy = newPath();
  const { from, toBytes = Number.POSITIVE_INFINITY } = slice ?? {};
  const start = from?.bytes ?? 0;
  if (start === 0) await copyStart(path, copy, toBytes);
  else {
    const bytes = { start, end: toBytes - 1 };
    const reader = toBytes <= start ? [Buffer.alloc(0)] : createReadStream(path, bytes);
    await pipeline(reader, createWriteStream(copy, { mode: 0o600 }));
  }
  return { ...file, path: copy };
}

/**
 * Copies a file up to a byte. Takes no time and no space on file systems that share blocks between copies (reflinks).
 */
export async function copyStart(path: string, copy: string, toBytes: number): Promise<void> {
  await copyFile(path, copy, constants.COPYFILE_FICLONE);
  // The copy inherits the mode of the log, which may be read-only.
  await chmod(copy, 0o600);
  const { size } = await stat(copy);
  if (size > toBytes) await truncate(copy, toBytes);
}
