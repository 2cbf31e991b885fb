import { isUtf8 } from 'node:buffer';
import type { FieldNames, Shape } from '../columns/shape.js';
import { readChunks } from '../files/chunks.js';
import { type LogFile, maxFileFaults } from '../files/files.js';
import { lineLimits } from '../files/line-reader.js';
import { mendLines, tooDeepMark } from '../files/mend-line.js';
import { createNode, forgotten, type ScanNode, shapeOfNode } from './node.js';
import { byte, skipBlankBytes, type Walk } from './walk-scalar.js';
import { walkValue } from './walk-value.js';

/** The result of scanning the lines of a file. */
export interface Scanned {
  readonly shape: Shape;
  readonly objects: number;
  /** Lines that are not JSON objects, including those that are nested too deeply. */
  readonly bad: number;
  /** The first {@link maxFileFaults} of them. */
  readonly badLines: readonly BadLine[];
  /** The lines of the file, including blank ones. */
  readonly lines: number;
  /** The length of the longest line in bytes, or slightly more. */
  readonly longest: number;
  /** Whether DuckDB would read some line differently from the standard. */
  readonly needsMending: boolean;
}

/** A line that is not a record. */
export interface BadLine {
  /** Its number among the lines that are not blank, from 1. */
  readonly n: number;
  readonly isTooDeep: boolean;
}

/** The input of a scan. */
export interface Scanning {
  readonly file: LogFile;
  /** The fields that have types; by default none. */
  readonly typed?: FieldNames | undefined;
  /** Called with the number of bytes and lines read since the last call. */
  readonly onRead: (bytes: number, lines: number) => void;
}

interface Scan extends Walk {
  readonly root: ScanNode;
  /** Holds `filled` bytes that were read but not scanned yet. */
  buffer: Buffer;
  filled: number;
  bad: number;
  readonly badLines: BadLine[];
  blanks: number;
  /** Whether a line of the file may have become several, of which all but the first begin with a blank. */
  readonly isMapped: boolean;
  /** The number of those that begin with a blank. */
  continued: number;
  longest: number;
  needsMending: boolean;
}

const newline = 10;

/**
 * Reads the lines of a file once and determines their structure, much faster than
 * asking DuckDB for each line.
 * @throws an error of zlib or the system if the file cannot be read to its end, or if a line is too long
 */
export async function scanLines({ file, typed, onRead }: Scanning): Promise<Scanned> {
  const bytes = Buffer.alloc(0);
  const found = {
    bad: 0,
    blanks: 0,
    continued: 0,
    longest: 0,
    needsMending: false,
  };
  const scan: Scan = {
    bytes,
    view: new DataView(bytes.buffer, 0, 0),
    at: 0,
    lines: 0,
    objects: 0,
    undo: [],
    fields: [],
    spellings: new Map(),
    counted: [],
    countedFields: 0,
    badLines: [],
    buffer: bytes,
    filled: 0,
    root: createNode({ typed }),
    isMapped: file.mapping !== undefined,
    ...found,
  };
  for await (const [chunk, bytesRead] of readChunks(file)) {
    const before = scan.lines;
    // Keep reading to the end, to detect a truncated compressed file.
    if (scan.longest <= lineLimits.max) scanChunk(scan, chunk);
    onRead(bytesRead, scan.lines - before);
    // The mended lines are scanned again, from the first one.
    if (scan.needsMending) break;
  }
  if (scan.longest > lineLimits.max) throw new Error(lineTooLong);
  if (scan.filled > 0) {
    scanChunk(scan, Buffer.from('\n'));
    // Do not count the line break that we added.
    scan.blanks -= 1;
  }
  const { root, lines, blanks, continued, bad, badLines, longest, needsMending } = scan;
  const counts = { objects: lines - bad, bad, lines: lines + blanks - continued };
  return { shape: shapeOfNode(root), ...counts, badLines, needsMending, longest };
}

/** The message for a file with a longer line. */
export const lineTooLong = 'a line is longer than can be read within the memory limit';

/**
 * Scans the lines that a chunk completes. Uses one buffer for all chunks: otherwise garbage adds up to
 * a hundred megabytes.
 */
function scanChunk(scan: Scan, chunk: Buffer): void {
  const before = scan.filled;
  reserve(scan, before + chunk.length + viewedBeyond);
  scan.filled += chunk.copy(scan.buffer, before);
  const last = chunk.lastIndexOf(newline);
  scan.longest = Math.max(scan.longest, last < 0 ? scan.filled : before + chunk.indexOf(newline));
  if (last < 0) return;
  const end = before + last + 1;
  scan.bytes = scan.buffer.subarray(0, end);
  scan.view = new DataView(scan.bytes.buffer, scan.bytes.byteOffset, end + viewedBeyond);
  scan.at = 0;
  const isText = isUtf8(scan.bytes);
  while (scan.at < end) scanLine(scan, isText);
  scan.buffer.copyWithin(0, end, scan.filled);
  scan.filled -= end;
}

/** The number of bytes past the end of the lines that may be read when reading four at a time. */
const viewedBeyond = 3;

function reserve(scan: Scan, bytes: number): void {
  if (bytes <= scan.buffer.length) return;
  const larger = Buffer.allocUnsafeSlow(Math.max(bytes, 2 * scan.buffer.length));
  scan.buffer.copy(larger, 0, 0, scan.filled);
  scan.buffer = larger;
}

function scanLine(scan: Scan, isText: boolean): void {
  const { bytes, at, isMapped } = scan;
  if (skipBlankBytes(scan) === newline) {
    scan.at += 1;
    scan.blanks += 1;
    return;
  }
  const start = scan.at;
  if (isMapped && start > at) scan.continued += 1;
  scan.lines += 1;
  if (scan.undo.length > 0) scan.undo.length = 0;
  scan.countedFields = 0;
  const isObject = bytes[start] === byte.brace;
  const isRead =
    walkValue(scan, isObject ? scan.root : forgotten, 0) &&
    isObject &&
    skipBlankBytes(scan) === newline &&
    (isText || isUtf8(bytes.subarray(start, scan.at)));
  if (isRead) scan.at += 1;
  else skipLine(scan, start);
  scan.longest = Math.max(scan.longest, scan.at - start);
}

/** Skips a line, and reverts its changes. */
function skipLine(scan: Scan, start: number): void {
  const { bytes, undo, counted, countedFields } = scan;
  for (const field of counted.slice(0, countedFields)) field.count -= 1;
  for (const revertOne of undo.reverse()) revertOne();
  undo.length = 0;
  scan.at = bytes.indexOf(newline, start) + 1;
  scan.bad += 1;
  const line = bytes.subarray(start, scan.at);
  scan.needsMending ||= mendLines(line) !== line;
  if (scan.badLines.length === maxFileFaults) return;
  scan.badLines.push({ n: scan.lines, isTooDeep: line.equals(tooDeepLine) });
}

const tooDeepLine = Buffer.from(`${tooDeepMark}\n`);
