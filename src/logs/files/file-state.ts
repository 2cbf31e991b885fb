import { createHash } from 'node:crypto';
import { closeSync, constants, openSync, readSync, statSync } from 'node:fs';

/** A log file as it was when it was loaded; plain values. */
export interface FileState {
  /** In bytes. */
  readonly size: number;
  /** When it was changed, in milliseconds since 1970. */
  readonly changedMs: number;
  /** When it was last renamed, or anything else was done to it, in milliseconds since 1970. */
  readonly touchedMs: number;
  /** What of the file system stays with a file that is renamed. */
  readonly inode: number;
  /** How many of its bytes are loaded: all, or up to the end of the last whole line. */
  readonly loadedBytes: number;
  /** A digest of some of those, or of all where they are few; see {@link hasGrown}. */
  readonly samples: string;
}

/** What the file system tells of a file. */
export type FileStat = Pick<FileState, 'size' | 'changedMs' | 'touchedMs' | 'inode'>;

/** Looks at a file. @throws an error of the file system */
export function statOf(path: string): FileStat {
  const { size, mtimeMs, ctimeMs, ino } = statSync(path);
  return { size, changedMs: mtimeMs, touchedMs: ctimeMs, inode: ino };
}

/** A file of which so many bytes are loaded; one that is gone meanwhile will not be known again. */
export function stateOf(path: string, stat: FileStat, loadedBytes: number): FileState {
  try {
    return { ...stat, loadedBytes, samples: digestSamples(path, loadedBytes) };
  } catch {
    return { ...stat, loadedBytes, samples: '' };
  }
}

/** Whether a file seems not to have been written to since. */
export function isSame(stat: FileStat, before: FileState): boolean {
  return stat.size === before.size && stat.changedMs === before.changedMs;
}

/**
 * Whether a file still begins with what was loaded of it. Of up to 1 MiB every byte is looked at; of
 * more, 32 blocks of 32 KiB: the first, the last, and the others at even distances. So is seen: that it
 * was cut, or written anew; that something was put in or taken out, which moves the last block; and that
 * other bytes stand in the place of as many where these are a 31st of it or more. Not seen is a shorter
 * stretch of other bytes between two blocks, where the file has grown since the last look, or was given
 * its old time again: to see that, all of it would have to be read for each line that is appended.
 */
export function hasGrown(path: string, stat: FileStat, before: FileState): boolean {
  if (stat.size < before.loadedBytes) return false;
  if (stateOf(path, stat, before.loadedBytes).samples !== before.samples) return false;
  return stat.size === before.loadedBytes || beginsAnew(path, before.loadedBytes);
}

/**
 * Whether what stands behind a place can be loaded alone. It cannot where the last line before it, which
 * was loaded as a record though it had no end, goes on, and so was none; nor where it begins with a byte
 * order mark, which is one at the beginning of a file only.
 */
function beginsAnew(path: string, place: number): boolean {
  return withFile(path, (fd) => {
    if (readBytes(fd, place, place + mark.length).equals(mark)) return false;
    const start = lastLineStart(fd, place) ?? 0;
    if (isBlank(readBytes(fd, start, place))) return true;
    const [rest = ''] = readBytes(fd, place, place + stepBytes)
      .toString('latin1')
      .split('\n');
    return rest.trim() === '';
  });
}

const mark = Buffer.from('\ufeff');

function isBlank(bytes: Buffer): boolean {
  return bytes.toString('latin1').trim() === '';
}

/** The first bytes of a file, as text of one byte each. @throws an error of the file system */
export function firstText(path: string, bytes: number): string {
  return withFile(path, (fd) => readBytes(fd, 0, bytes).toString('latin1'));
}

const sampleCount = 32;
const sampleBytes = 32_768;

function digestSamples(path: string, bytes: number): string {
  const hash = createHash('sha256');
  withFile(path, (fd) => {
    for (const [from, to] of samplesOf(bytes)) hash.update(readBytes(fd, from, to));
  });
  return hash.digest('base64');
}

/** Where the blocks of so many bytes begin and end. */
function samplesOf(bytes: number): readonly (readonly [from: number, to: number])[] {
  if (bytes <= sampleCount * sampleBytes) return [[0, bytes]];
  const step = (bytes - sampleBytes) / (sampleCount - 1);
  return Array.from({ length: sampleCount }, (_, place) => {
    const from = Math.round(place * step);
    return [from, from + sampleBytes];
  });
}

const newline = 10;

/** How much is read at a time in search of the last line's start, and at most, in bytes. */
const stepBytes = 65_536;
const mostBytes = 256 * 1024 ** 2;

/**
 * Where the last whole line of a file's first `size` bytes ends: a line without a line break is one
 * that its writer has not finished, unless it is a whole object already.
 */
export function wholeLinesEnd(path: string, size: number): number {
  return withFile(path, (fd) => {
    const start = lastLineStart(fd, size);
    if (start === undefined) return size;
    const line = readBytes(fd, start, size);
    const text = line.toString().trimStart();
    return text === '' || (text.startsWith('{') && hasEnded(line)) ? size : start;
  });
}

/** Undefined where the last line is longer than any that is loaded. */
function lastLineStart(fd: number, size: number): number | undefined {
  for (let end = size; end > 0; end -= stepBytes) {
    const from = Math.max(0, end - stepBytes);
    const at = readBytes(fd, from, end).lastIndexOf(newline);
    if (at >= 0) return from + at + 1;
    if (size - from > mostBytes) return undefined;
  }
  return 0;
}

const quote = 34;
const backslash = 92;
const depths: ReadonlyMap<number, number> = new Map(
  [...'{[}]'].map((sign, place) => [sign.charCodeAt(0), place < 2 ? 1 : -1]),
);

/**
 * Whether the object of a line ends in it: behind that nothing makes another record of it. Whether it is JSON
 * is not asked, since DuckDB takes more than JavaScript does, as `NaN`.
 */
function hasEnded(line: Buffer): boolean {
  let depth = 0;
  for (let at = line.indexOf('{'); at < line.length; at += 1) {
    if (line[at] === quote) at = endOfText(line, at);
    depth += depths.get(line[at] ?? 0) ?? 0;
    if (depth === 0) return true;
  }
  return false;
}

/** Where the text that begins at a place has its other quote; the line's end where it has none. */
function endOfText(line: Buffer, start: number): number {
  for (let at = start + 1; at < line.length; at += 1) {
    if (line[at] === backslash) at += 1;
    else if (line[at] === quote) return at;
  }
  return line.length;
}

function readBytes(fd: number, from: number, to: number): Buffer {
  const bytes = Buffer.alloc(to - from);
  let done = 0;
  while (done < bytes.length) {
    const read = readSync(fd, bytes, done, bytes.length - done, from + done);
    if (read === 0) break;
    done += read;
  }
  return bytes.subarray(0, done);
}

function withFile<T>(path: string, use: (fd: number) => T): T {
  // A pipe would have us wait for its writer.
  const fd = openSync(path, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0));
  try {
    return use(fd);
  } finally {
    closeSync(fd);
  }
}
