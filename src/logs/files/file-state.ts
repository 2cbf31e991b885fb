import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';
import { ignoreErrors } from '../../process/ignore-errors.js';
import { endOfValue } from '../../values/json-raw.js';
import { byteOrderMark, headBytes, recognizeContent } from './content.js';
import type { LogFile } from './files.js';

/** The state of a log file when it was loaded; plain values. */
export interface FileState {
  /** In bytes. */
  readonly size: number;
  /** Modification time, in milliseconds since 1970. */
  readonly changedMs: number;
  /** Status change time (ctime), which renaming also updates; in milliseconds since 1970. */
  readonly touchedMs: number;
  /** The inode number, which survives renaming. */
  readonly inode: number;
  /** The bytes that are loaded: all of them, or those up to the end of the last complete line. */
  readonly loadedBytes: number;
  /** A digest of samples of those bytes, or of all if they are few; see {@link hasGrown}. */
  readonly samples: string;
}

/** The status of a file in the file system. */
export type FileStat = Pick<FileState, 'size' | 'changedMs' | 'touchedMs' | 'inode'>;

/** Reads the status of a file. @throws an error of the file system */
export function getStat(path: string): FileStat {
  const { size, mtimeMs, ctimeMs, ino } = statSync(path);
  return { size, changedMs: mtimeMs, touchedMs: ctimeMs, inode: ino };
}

/**
 * The state of a file of which `loadedBytes` bytes were loaded. A file that cannot be read gets a state
 * that no file matches later.
 */
export function loadedState(path: string, stat: FileStat, loadedBytes: number): FileState {
  const samples = ignoreErrors(() => digestSamples(path, loadedBytes)) ?? '';
  return { ...stat, loadedBytes, samples };
}

/** Whether size and modification time are unchanged, so that the file was probably not written to. */
export function isSameState(stat: FileStat, before: FileState): boolean {
  return stat.size === before.size && stat.changedMs === before.changedMs;
}

/**
 * Whether a file still begins with the bytes that were loaded from it. Up to 1 MiB all bytes are
 * compared, above that 32 evenly spaced blocks of 32 KiB, including the first and the last. This
 * detects truncation, rewriting, inserted or removed bytes (which move the last block), and bytes
 * overwritten in place if they are at least a 31st of the file. It misses a shorter overwrite between
 * two blocks if the file has also grown or got its old time back: to detect that, every appended line
 * would cost reading the whole file.
 */
export function hasGrown(path: string, stat: FileStat, before: FileState): boolean {
  if (stat.size < before.loadedBytes) return false;
  if (loadedState(path, stat, before.loadedBytes).samples !== before.samples) return false;
  return stat.size === before.loadedBytes || startsNewLine(path, before.loadedBytes);
}

/**
 * Whether the bytes after a position can be loaded on their own. They cannot if they continue a line
 * that was loaded as a record although it had no line break, or if they begin with a byte order mark,
 * which is recognized only at the beginning of a file.
 */
function startsNewLine(path: string, position: number): boolean {
  return withFile(path, (fd) => {
    if (readBytes(fd, position, position + byteOrderMark.length).equals(byteOrderMark))
      return false;
    const start = lastLineStart(fd, position) ?? 0;
    const textBetween = (from: number, to: number) => readBytes(fd, from, to).toString('latin1');
    if (textBetween(start, position).trim() === '') return true;
    return /^[^\n\S]*(?:\n|$)/.test(textBetween(position, position + stepBytes));
  });
}

/** The errors for a file that is gone, or is not a log file. */
const noFile: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EISDIR', 'ENXIO', 'EAGAIN']);

/** The code of the error, such as `EACCES`, if a file cannot be read. */
export function readFault(path: string): string | undefined {
  return accessFault(() => withFile(path, (fd) => readBytes(fd, 0, 1)));
}

/**
 * Returns the code of a system error that says that a file cannot be read now; undefined for any other error, or for
 * none.
 */
export function accessFault(read: () => unknown): string | undefined {
  try {
    read();
    return undefined;
  } catch (error) {
    return codeOfFault(error);
  }
}

/** Returns the code of a system error that says that a file cannot be read now; undefined for any other error. */
export function codeOfFault(error: unknown): string | undefined {
  const code = error instanceof Error && 'code' in error ? String(error.code) : undefined;
  return code === undefined || noFile.has(code) ? undefined : code;
}

const sampleCount = 32;
const sampleBytes = 32_768;

/** Returns a digest of samples of the first bytes, or of all if they are few. @throws an error of the system */
export function digestSamples(path: string, bytes: number): string {
  const hash = createHash('sha256');
  // One buffer for all blocks: with one for each, garbage takes a fifth of the time of a refresh.
  const block = Buffer.allocUnsafeSlow(sampleBytes);
  withFile(path, (fd) => {
    for (const from of sampleStarts(bytes)) {
      const length = readInto(block, fd, from, Math.min(sampleBytes, bytes - from));
      hash.update(block.subarray(0, length));
    }
  });
  return hash.digest('base64');
}

/** The starts of the sampled blocks within the given number of bytes. */
function sampleStarts(bytes: number): readonly number[] {
  const count = Math.min(sampleCount, Math.ceil(bytes / sampleBytes));
  const isWhole = bytes <= sampleCount * sampleBytes;
  const step = isWhole ? sampleBytes : (bytes - sampleBytes) / (sampleCount - 1);
  return Array.from({ length: count }, (_, index) => Math.round(index * step));
}

const newline = 10;

/** The number of bytes per read, and the maximum in total, to find the start of the last line. */
const stepBytes = 65_536;
const maxSearchBytes = 256 * 1024 ** 2;

/**
 * The end of the last complete line within the first `size` bytes of a file. A line without a line
 * break is incomplete, unless it is already a complete object.
 */
export function wholeLinesEnd(path: string, size: number): number {
  return withFile(path, (fd) => {
    const start = lastLineStart(fd, size);
    if (start === undefined) return size;
    const line = readBytes(fd, start, size).toString().trimStart();
    // An incomplete object extends to the end, beyond the blank. A complete one need not be valid JSON, because DuckDB
    // accepts more than JavaScript does, such as `NaN`.
    const isObject = line.startsWith('{') && endOfValue(`${line} `, 0) <= line.length;
    return line === '' || isObject ? size : start;
  });
}

/** The offset of the last line; undefined if it is longer than any line that can be loaded. */
function lastLineStart(fd: number, size: number): number | undefined {
  for (let end = size; end > 0; end -= stepBytes) {
    const from = Math.max(0, end - stepBytes);
    const at = readBytes(fd, from, end).lastIndexOf(newline);
    if (at >= 0) return from + at + 1;
    if (size - from > maxSearchBytes) return undefined;
  }
  return 0;
}

const zeros = Buffer.alloc(stepBytes);

/**
 * Returns the number of zero bytes at the beginning of a file. A program that does not append leaves them when its file
 * is truncated while it writes, as by logrotate's `copytruncate`. Returns 0 for fewer than four, which may be UTF-16,
 * and for more than 256 MiB, so that the search ends soon.
 */
export function leadingZeros(fd: number): number {
  if (!readBytes(fd, 0, 4).equals(zeros.subarray(0, 4))) return 0;
  for (let at = 0; at < maxSearchBytes; at += stepBytes) {
    const bytes = readBytes(fd, at, at + stepBytes);
    if (bytes.equals(zeros)) continue;
    const own = bytes.findIndex((byte) => byte !== 0);
    return at + (own < 0 ? bytes.length : own);
  }
  return 0;
}

/** Reads the first bytes of a file after its leading zeros. @throws a system error */
export function readHead(fd: number, length: number): Buffer {
  const from = leadingZeros(fd);
  return readBytes(fd, from, from + length);
}

/** Reads a range of a file, or as much of it as exists. @throws a system error */
export function readBytes(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  return bytes.subarray(0, readInto(bytes, fd, from, bytes.length));
}

/** Reads bytes from a position into a buffer; returns how many there were. */
function readInto(buffer: Buffer, fd: number, from: number, length: number): number {
  let done = 0;
  while (done < length) {
    const read = readSync(fd, buffer, done, length - done, from + done);
    if (read === 0) break;
    done += read;
  }
  return done;
}

/** Opens a file for reading while it is used. @throws an error of the system */
export function withFile<T>(path: string, use: (fd: number) => T): T {
  // Opening a pipe would otherwise block until another process writes to it.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}

/** Whether a file consists of lines that can be read on their own, judging by its name and first bytes. */
export function isLines({ path, name, format, compression, mapping }: LogFile): boolean {
  // Table rows cannot be read without their header.
  if (format !== 'lines' || compression !== 'none' || mapping?.text?.table) return false;
  const head = ignoreErrors(() => withFile(path, (fd) => readHead(fd, headBytes)));
  return head !== undefined && recognizeContent(head, { name }) === 'lines';
}
