import { isUtf8 } from 'node:buffer';
import { appendFile } from 'node:fs/promises';
import type { Shape } from '../columns/shape.js';
import { type Range, readChunks, wholeFile } from '../files/chunks.js';
import type { LogFile } from '../files/files.js';
import { createNode, type ScanNode, severalPaths, shapeOfNode } from './node.js';
import { type OrderWatch, type TimeOrder, watchOrder } from './time-order.js';
import { skipBlanks, type Walk } from './walk-scalar.js';
import { walkValue } from './walk-value.js';

/** What a scan found in the lines of a file. */
export interface Scanned {
  readonly shape: Shape;
  /** Where arrays hold two objects or more, as `severalPaths` gives it. */
  readonly several: readonly string[];
  /** Whether some array holds NULL. */
  readonly hasNulls: boolean;
  readonly objects: number;
  /** Whether some object has no `id` that can be one. */
  readonly lacksId: boolean;
  /** All lines, blank ones too. */
  readonly lines: number;
  /** The length of the longest line in bytes, or somewhat more. */
  readonly longest: number;
  /** Lines that were not understood: they stand in a file of their own, and in nothing above. */
  readonly odd: number;
  /** Of the lines that were understood. */
  readonly order: TimeOrder;
}

/** What a scan reads and writes. */
export interface Scanning {
  readonly file: LogFile;
  /** Whole lines of it; all of them where it is absent. */
  readonly range?: Range;
  /** The file for odd lines, made if there are any. */
  readonly oddFile: string;
  /** A file with a longer line is not scanned. */
  readonly maxLineBytes: number;
  /** Told how many more bytes of the file are read, and how many lines. */
  readonly onRead: (bytes: number, lines: number) => void;
}

interface Scan extends Walk {
  readonly root: ScanNode;
  /** What was read and not scanned yet, so many bytes of it. */
  buffer: Buffer;
  filled: number;
  readonly odd: Buffer[];
  oddCount: number;
  blanks: number;
  longest: number;
  lacksId: boolean;
  readonly orderWatch: OrderWatch;
}

const newline = 10;

/**
 * Reads the lines of a file once, whole, and finds what they hold: three to four times faster than
 * asking DuckDB for the structure of each. Undefined where the file is of another form: it begins
 * with a byte order mark or as an array, it is compressed by zstd, a line is too long.
 * @throws an error of zlib's or the system's where the file cannot be read to its end
 */
export async function scanLines(scanning: Scanning): Promise<Scanned | undefined> {
  const { file, oddFile, range = wholeFile } = scanning;
  if (file.format !== 'lines' || file.compression === 'zstd') return undefined;
  const scan = createScan();
  let isLines = true;
  for await (const [chunk, bytesRead] of readChunks(file, range)) {
    const before = scan.lines;
    // To its end all the same, so that a compressed file that was cut off is found out.
    isLines &&= range.from > 0 || isScannable(scan, file, chunk);
    if (isLines) scanChunk(scan, chunk);
    isLines &&= scan.longest < scanning.maxLineBytes;
    if (scan.odd.length > 0) await appendFile(oddFile, Buffer.concat(scan.odd.splice(0)));
    scanning.onRead(bytesRead, scan.lines - before);
  }
  if (!isLines) return undefined;
  if (scan.filled > 0) {
    scanChunk(scan, Buffer.from('\n'));
    // The newline was ours.
    scan.blanks -= 1;
  }
  if (scan.odd.length > 0) await appendFile(oddFile, Buffer.concat(scan.odd));
  return resultOf(scan);
}

function createScan(): Scan {
  const counts = { objects: 0, lines: 0, blanks: 0, oddCount: 0, longest: 0 };
  const found = { lacksId: false, hasNulls: false };
  const none = Buffer.alloc(0);
  return {
    bytes: none,
    view: new DataView(none.buffer, 0, 0),
    buffer: none,
    filled: 0,
    at: 0,
    undo: [],
    root: createNode(),
    odd: [],
    orderWatch: watchOrder(),
    ...counts,
    ...found,
  };
}

function resultOf(scan: Scan): Scanned {
  const { root, lines, blanks, oddCount, longest, lacksId, hasNulls } = scan;
  const shape = shapeOfNode(root);
  const several = severalPaths(root);
  const counts = { lines: lines + blanks, objects: lines - oddCount, odd: oddCount };
  const order = scan.orderWatch.order();
  return { shape, several, hasNulls, lacksId, longest, order, ...counts };
}

const byteOrderMark = Buffer.from('\ufeff');

/** Whether the first bytes are those of lines: a mark hides the first from DuckDB. */
function isScannable({ lines }: Scan, { name }: LogFile, all: Buffer): boolean {
  if (lines > 0) return true;
  const isMarked = all.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  const isArray = name.endsWith('.json') && /^\s*\[/.test(all.toString('latin1', 0, 1024));
  return !isMarked && !isArray;
}

/**
 * Scans the lines that are whole with a chunk. All of it in one buffer: what would be left to the
 * garbage collector adds up to a hundred megabytes.
 */
function scanChunk(scan: Scan, chunk: Buffer): void {
  const before = scan.filled;
  reserve(scan, before + chunk.length);
  scan.filled += chunk.copy(scan.buffer, before);
  const last = chunk.lastIndexOf(newline);
  scan.longest = Math.max(scan.longest, last < 0 ? scan.filled : before + chunk.indexOf(newline));
  if (last < 0) return;
  const end = before + last + 1;
  scan.bytes = scan.buffer.subarray(0, end);
  scan.view = new DataView(scan.bytes.buffer, scan.bytes.byteOffset, end);
  scan.at = 0;
  const isText = isUtf8(scan.bytes);
  while (scan.at < end) scanLine(scan, isText);
  scan.orderWatch.keep();
  scan.buffer.copyWithin(0, end, scan.filled);
  scan.filled -= end;
}

function reserve(scan: Scan, bytes: number): void {
  if (bytes <= scan.buffer.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * scan.buffer.length));
  scan.buffer.copy(larger, 0, 0, scan.filled);
  scan.buffer = larger;
}

function scanLine(scan: Scan, isText: boolean): void {
  const { bytes, root, undo } = scan;
  if (skipBlanks(scan) === newline) {
    scan.at += 1;
    scan.blanks += 1;
    return;
  }
  const start = scan.at;
  undo.length = 0;
  scan.lines += 1;
  const isRecord = bytes[start] === brace && walkValue(scan, root, 0);
  if (isRecord && skipBlanks(scan) === newline && (isText || isLineUtf8(bytes, start))) {
    scan.at += 1;
    scan.longest = Math.max(scan.longest, scan.at - start);
    scan.lacksId ||= !hasId(scan);
    scan.orderWatch.take(scan, root.fields ?? []);
    return;
  }
  for (const takeBack of undo.reverse()) takeBack();
  scan.at = bytes.indexOf(newline, start) + 1;
  scan.oddCount += 1;
  scan.longest = Math.max(scan.longest, scan.at - start);
  scan.odd.push(Buffer.from(bytes.subarray(start, scan.at)));
}

const brace = 123;

function isLineUtf8(bytes: Buffer, start: number): boolean {
  return isUtf8(bytes.subarray(start, bytes.indexOf(newline, start)));
}

function hasId({ root, lines }: Scan): boolean {
  return root.fields?.some((field) => field.isId && field.setIn === lines) ?? false;
}
