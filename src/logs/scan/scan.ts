import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { addShape, emptyShape } from '../columns/shape.js';
import { type Range, readChunks } from '../files/chunks.js';
import type { LogFile } from '../files/files.js';
import { type Scanned, type Scanning, scanLines } from './scan-lines.js';
import type { Scanners } from './scanners.js';
import { emptyOrder, joinOrders } from './time-order.js';

/** The size of a piece in bytes; sending smaller ones to another thread does not pay off. */
const defaultPieceBytes = 8_388_608;

/**
 * Scans a file like {@link scanLines}; a large one in pieces, by several threads.
 * @throws the errors of `scanLines`
 */
export async function scanFile(
  scanning: Scanning,
  scanners: Scanners,
  pieceBytes = defaultPieceBytes,
): Promise<Scanned | undefined> {
  const { file, deferredFile } = scanning;
  const isSimple = file.compression !== 'none';
  const ranges = isSimple || scanners.count < 2 ? [] : await cutRanges(file, pieceBytes);
  if (ranges.length < 2) return scanLines(scanning);
  const pieces = ranges.map((range, index) => ({
    ...scanning,
    range,
    deferredFile: index === 0 ? deferredFile : `${deferredFile}-${index}`,
  }));
  const found = (await scanners.scanAll(pieces)).filter((each) => each !== undefined);
  if (found.length < pieces.length) return undefined;
  for (const [index, piece] of pieces.entries()) {
    if (index > 0 && found[index]?.deferred) await append(deferredFile, piece.deferredFile);
  }
  return joinScanned(found);
}

/**
 * Ranges of whole lines, of about the given size each; the last one extends to the end of the file.
 */
async function cutRanges({ path, compression }: LogFile, bytes: number): Promise<readonly Range[]> {
  const { size } = await stat(path);
  const starts = new Set([0]);
  for (let at = bytes; at < size; at += bytes) {
    const start = await lineStart({ path, compression }, at);
    starts.add(start);
    // Do not search a long line again for each piece that it spans.
    at = Math.max(at, start);
  }
  const inside = [...starts].filter((start) => start < size);
  return inside.map((from, index) => ({
    from,
    to: inside[index + 1] ?? Number.POSITIVE_INFINITY,
  }));
}

/** The start of the first line that begins at or after a byte. */
async function lineStart(
  file: Pick<LogFile, 'path' | 'compression'>,
  from: number,
): Promise<number> {
  let at = from - 1;
  for await (const [chunk] of readChunks(file, { from: at, to: Number.POSITIVE_INFINITY })) {
    const index = chunk.indexOf('\n');
    if (index >= 0) return at + index + 1;
    at += chunk.length;
  }
  return at;
}

async function append(to: string, from: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { flags: 'a' }));
}

/** Joins the results of consecutive pieces into the result for the whole file. */
function joinScanned(pieces: readonly Scanned[]): Scanned {
  const shape = emptyShape();
  for (const piece of pieces) addShape(shape, piece.shape);
  const sum = (key: 'objects' | 'lines' | 'deferred') =>
    pieces.reduce((total, piece) => total + piece[key], 0);
  return {
    shape,
    several: [...new Set(pieces.flatMap(({ several }) => several))],
    objects: sum('objects'),
    lines: sum('lines'),
    deferred: sum('deferred'),
    hasNulls: pieces.some(({ hasNulls }) => hasNulls),
    lacksId: pieces.some(({ lacksId }) => lacksId),
    needsMending: pieces.some(({ needsMending }) => needsMending),
    longest: Math.max(...pieces.map(({ longest }) => longest)),
    order: pieces.map(({ order }) => order).reduce(joinOrders, emptyOrder),
  };
}
