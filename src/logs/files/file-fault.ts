import { open, stat } from 'node:fs/promises';
import type { LogFile } from './files.js';

/** Returns why a file cannot be opened, or undefined. */
export async function findFileFault(file: LogFile): Promise<string | undefined> {
  try {
    // Opening a pipe would block until another process writes to it.
    if (!(await stat(file.path)).isFile()) return 'not a regular file';
    await (await open(file.path)).close();
    return undefined;
  } catch (error) {
    return fileFault(error);
  }
}

/** Describes an error of zlib or the system without the file's path. */
export function fileFault(error: unknown): string {
  return error instanceof Error ? plainMessage(error) : String(error);
}

function plainMessage(error: Error): string {
  const code = 'code' in error ? String(error.code) : '';
  if (code === 'Z_BUF_ERROR') return 'the gzip file ends too early';
  if (code.startsWith('Z_')) return `not a valid gzip file (${error.message})`;
  return code === '' ? (error.message.split('\n')[0] ?? '') : `cannot be read (${code})`;
}
