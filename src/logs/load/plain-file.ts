import { createWriteStream } from 'node:fs';
import { pipeline } from 'node:stream/promises';
import { readChunks, readWholeLines } from '../files/chunks.js';
import { byteOrderMark, headBytes, recognizeContent } from '../files/content.js';
import { copyStart } from '../files/cut-slice.js';
import { leadingZeros, withFile } from '../files/file-state.js';
import type { LogFile } from '../files/files.js';
import { mendLines } from '../files/mend-line.js';
import { findPackedEnd } from '../files/packed-end.js';
import { createArraySplitter } from '../files/split-array.js';

/**
 * Copies a file to UTF-8 lines that DuckDB can read if it is an array or UTF-16, or begins with zeros or a byte order
 * mark. Returns any other file, with the compression that its bytes have.
 * @throws Error, also of zlib or the system, if the file cannot be read
 */
export async function makePlain(newPath: () => string, file: LogFile): Promise<LogFile> {
  if (file.format !== 'lines') return file;
  const hasZeros = withFile(file.path, leadingZeros) > 0;
  const own = hasZeros ? await writeLines(newPath, file, withoutZeros(file)) : file;
  // Only the beginning of a file reveals its content.
  return (file.slice?.from.bytes ?? 0) > 0 ? own : decodeContent(newPath, own);
}

async function* withoutZeros({ path }: LogFile): AsyncGenerator<Buffer> {
  for await (const [chunk] of readChunks({ path, compression: 'none' })) yield Buffer.from(chunk);
}

async function decodeContent(newPath: () => string, file: LogFile): Promise<LogFile> {
  const packed = recognizeContent(await firstChunk({ ...file, compression: 'none' }), file);
  const isPacked = packed === 'gzip' || packed === 'zstd';
  const unpacked = isPacked ? { ...file, compression: packed } : file;
  const head = await firstChunk(unpacked);
  const content = recognizeContent(head, file);
  const isMarked = head.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  const encoding = content === 'utf-16le' || content === 'utf-16be' ? content : isMarked && 'utf-8';
  if (content === 'lines' && !encoding) return unpacked;
  const decoded = encoding && (await writeLines(newPath, unpacked, decode(unpacked, encoding)));
  const text = decoded || unpacked;
  return (await splitArray(newPath, text)) ?? text;
}

/** Writes the elements of a file as lines; undefined if the whole file is not an array. */
async function splitArray(newPath: () => string, file: LogFile): Promise<LogFile | undefined> {
  if (recognizeContent(await firstChunk(file), file) !== 'array') return undefined;
  const splitter = createArraySplitter();
  async function* elements(): AsyncGenerator<Buffer> {
    for await (const [chunk] of readChunks(file)) yield splitter.split(chunk);
  }
  const split = await writeLines(newPath, file, elements());
  return splitter.isArray() ? split : undefined;
}

async function firstChunk(file: LogFile): Promise<Buffer> {
  for await (const [chunk] of readChunks(file)) return Buffer.from(chunk.subarray(0, headBytes));
  return Buffer.alloc(0);
}

/**
 * Removes the bytes after the data of a packed file, and reports them unless they are zeros, which pad blocks;
 * undefined if nothing follows the data, or if it is damaged otherwise.
 * @throws a system error
 */
export async function trimPacked(newPath: () => string, file: LogFile) {
  const packed = recognizeContent(await firstChunk({ ...file, compression: 'none' }), file);
  if (packed !== 'gzip' && packed !== 'zstd') return undefined;
  const end = await findPackedEnd(file.path, packed);
  if (end === undefined) return undefined;
  const rest = await countRest(file.path, end);
  if (rest.bytes === 0) return undefined;
  const path = newPath();
  await copyStart(file.path, path, end);
  const message = `${rest.bytes} bytes after the end of the ${packed} data are ignored`;
  return { file: { ...file, path }, message: rest.areZeros ? undefined : message };
}

async function countRest(path: string, from: number) {
  const rest = { bytes: 0, areZeros: true };
  for await (const [chunk] of readChunks({ path, compression: 'none' }, from)) {
    rest.bytes += chunk.length;
    rest.areZeros &&= chunk.every((byte) => byte === 0);
  }
  return rest;
}

async function writeLines(
  newPath: () => string,
  file: LogFile,
  lines: AsyncGenerator<Buffer>,
): Promise<LogFile> {
  const path = newPath();
  await pipeline(lines, createWriteStream(path, { mode: 0o600 }));
  return { ...file, path, compression: 'none' };
}

/** Decodes a file to UTF-8 without a byte order mark. */
async function* decode(file: LogFile, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  for await (const [chunk] of readChunks(file))
    yield Buffer.from(decoder.decode(chunk, { stream: true }));
  yield Buffer.from(decoder.decode());
}

/**
 * Repairs the lines of a file so that DuckDB reads them according to the standard, without moving any to another
 * line.
 * @throws an error of zlib or the system
 */
export function mendFile(newPath: () => string, file: LogFile): Promise<LogFile> {
  async function* mended(): AsyncGenerator<Buffer> {
    for await (const lines of readWholeLines(file)) yield mendLines(lines);
  }
  return writeLines(newPath, file, mended());
}
