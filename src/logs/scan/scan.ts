import { createReadStream, createWriteStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { addShape, emptyShape } from '../columns/shape.js';
import { type Range, readChunks } from '../files/chunks.js';
import type { LogFile } from '../files/files.js';
import { type Scanned, type Scanning, scanLines } from './scan-lines.js';
import type { Scanners } from './scanners.js';
import { emptyOrder, joinOrders } from './time-order.js';

/** What is scanned by one thread in one go, in bytes: for less it is not worth telling another. */
const usualPieceBytes = 8_388_608;

/**
 * As {@link scanLines}, a large file in pieces by several threads.
 * @throws what that throws
 */
export async function scanFile(
  scanning: Scanning,
  scanners: Scanners,
  pieceBytes = usualPieceBytes,
): Promise<Scanned | undefined> {
  const { file, oddFile } = scanning;
  const isSimple = file.format !== 'lines' || file.compression !== 'none';
  const ranges = isSimple || scanners.count < 2 ? [] : await cutRanges(file, pieceBytes);
  if (ranges.length < 2) return scanLines(scanning);
  const pieces = ranges.map((range, place) => ({
    ...scanning,
    range,
    oddFile: place === 0 ? oddFile : `${oddFile}-${place}`,
  }));
  const found = (await scanners.scanAll(pieces)).filter((each) => each !== undefined);
  if (found.length < pieces.length) return undefined;
  for (const [place, piece] of pieces.entries()) {
    if (place > 0 && found[place]?.odd) await append(oddFile, piece.oddFile);
  }
  return joinScanned(found);
}

/** Whole lines, about so many bytes each; the last takes whatever follows. */
async function cutRanges({ path, compression }: LogFile, bytes: number): Promise<readonly Range[]> {
  const { size } = await stat(path);
  const starts = new Set([0]);
  for (let at = bytes; at < size; at += bytes) {
    const start = await lineStart({ path, compression }, at);
    starts.add(start);
    // What is within a long line is not looked through again.
    at = Math.max(at, start);
  }
  const inside = [...starts].filter((start) => start < size);
  return inside.map((from, place) => ({
    from,
    to: inside[place + 1] ?? Number.POSITIVE_INFINITY,
  }));
}

/** Where the first line begins at a byte or after it. */
async function lineStart(
  file: Pick<LogFile, 'path' | 'compression'>,
  from: number,
): Promise<number> {
  let at = from - 1;
  for await (const [chunk] of readChunks(file, { from: at, to: Number.POSITIVE_INFINITY })) {
    const place = chunk.indexOf('\n');
    if (place >= 0) return at + place + 1;
    at += chunk.length;
  }
  return at;
}

async function append(to: string, from: string): Promise<void> {
  await pipeline(createReadStream(from), createWriteStream(to, { flags: 'a' }));
}

/** What pieces of a file hold, one after another: as if it had been scanned whole. */
function joinScanned(pieces: readonly Scanned[]): Scanned {
  const shape = emptyShape();
  for (const piece of pieces) addShape(shape, piece.shape);
  const sum = (key: 'objects' | 'lines' | 'odd') =>
    pieces.reduce((total, piece) => total + piece[key], 0);
  return {
    shape,
    several: [...new Set(pieces.flatMap(({ several }) => several))],
    objects: sum('objects'),
    lines: sum('lines'),
    odd: sum('odd'),
    hasNulls: pieces.some(({ hasNulls }) => hasNulls),
    lacksId: pieces.some(({ lacksId }) => lacksId),
    longest: Math.max(...pieces.map(({ longest }) => longest)),
    order: pieces.map(({ order }) => order).reduce(joinOrders, emptyOrder),
  };
}
