import { readChunks } from './chunks.js';
import type { LogFile } from './files.js';

/**
 * Finds the line number of each record, both counted from 1: DuckDB does not count blank lines.
 */
export async function findLineNumbers(
  file: LogFile,
  records: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (records.length === 0) return new Map();
  const counter = { line: 1, record: 0, isBlank: true };
  const last = Math.max(...records);
  const wanted = new Set(records);
  const found = new Map<number, number>();
  for await (const [chunk] of readChunks(file)) {
    for (const byte of chunk) {
      if (step(counter, byte) && wanted.has(counter.record))
        found.set(counter.record, counter.line);
    }
    if (counter.record > last) break;
  }
  return found;
}

const newline = 10;
const blanks: ReadonlySet<number> = new Set([9, 11, 12, 13, 32]);

/** Advances by one byte; true if a record begins there. */
function step(counter: { line: number; record: number; isBlank: boolean }, byte: number): boolean {
  if (byte === newline) {
    counter.line += 1;
    counter.isBlank = true;
    return false;
  }
  if (!counter.isBlank || blanks.has(byte)) return false;
  counter.isBlank = false;
  counter.record += 1;
  return true;
}
