import { type FileHandle, open, stat } from 'node:fs/promises';
import type { LogFile } from './files.js';

/**
 * Returns why a file cannot be read at all, or undefined. DuckDB silently accepts a truncated
 * compressed file as a shorter one, so zstd files are checked here; gzip files are checked when they
 * are scanned.
 */
export async function findFileFault(file: LogFile): Promise<string | undefined> {
  try {
    // Opening a pipe would block until another process writes to it.
    if (!(await stat(file.path)).isFile()) return 'not a regular file';
    const handle = await open(file.path);
    try {
      return file.compression === 'zstd' ? await checkZstd(handle) : undefined;
    } finally {
      await handle.close();
    }
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
  return code === '' ? error.message : `cannot be read (${code})`;
}

const truncated = 'the zstd file ends too early';

/**
 * Walks over the frames and blocks by reading only their headers.
 * @see https://www.rfc-editor.org/rfc/rfc8878#section-3.1.1
 */
async function checkZstd(handle: FileHandle): Promise<string | undefined> {
  const { size } = await handle.stat();
  // Even an empty file is compressed to one frame.
  if (size === 0) return truncated;
  let position: number | undefined = 0;
  while (position !== undefined && position < size) {
    const head = await readBytes(handle, position, 18);
    if (head.length < 8) return truncated;
    const magic = head.readUInt32LE(0);
    const isSkippable = (magic & 0xfffffff0) >>> 0 === 0x184d2a50;
    if (!isSkippable && magic !== 0xfd2fb528) return 'not a zstd file';
    position = isSkippable
      ? position + 8 + head.readUInt32LE(4)
      : await endOfFrame(handle, position, head);
  }
  return position === undefined || position > size ? truncated : undefined;
}

async function readBytes(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
  return buffer.subarray(0, bytesRead);
}

const rawBlockBytes = 1;

async function endOfFrame(
  handle: FileHandle,
  start: number,
  head: Buffer,
): Promise<number | undefined> {
  const descriptor = head.readUInt8(4);
  const isSingle = (descriptor & 0x20) !== 0;
  const sizeBytes = [isSingle ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  let position = start + 5 + (isSingle ? 0 : 1) + dictionaryBytes + sizeBytes;
  for (;;) {
    const bytes = await readBytes(handle, position, 3);
    if (bytes.length < 3) return undefined;
    const block = bytes.readUIntLE(0, 3);
    const isRepeated = ((block >> 1) & 3) === 1;
    position += 3 + (isRepeated ? rawBlockBytes : block >> 3);
    if ((block & 1) === 1) return position + ((descriptor & 4) !== 0 ? 4 : 0);
  }
}
