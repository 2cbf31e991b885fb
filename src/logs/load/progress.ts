import { statSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import { ignoreErrors } from '../../process/ignore-errors.js';
import type { LogFile } from '../files/files.js';

/** The progress of a load; plain values. */
export interface LoadProgress {
  /** The number of files read, and in total. */
  readonly files: number;
  readonly filesTotal: number;
  /** Records read. */
  readonly rows: number;
  /** The number of bytes processed, and in total; a file counts partly when read and fully when written. */
  readonly bytes: number;
  readonly bytesTotal: number;
}

/** Called periodically with the progress of a load. */
export type OnProgress = (progress: LoadProgress) => void;

/** Tracks the progress of a load. */
export type Meter = ReturnType<typeof createMeter>;

/** The approximate share of the work that is reading; the rest is writing. */
const readingShare = 0.25;
const pollEveryMs = 250;

/** Creates a meter for the given files. */
export function createMeter(files: readonly LogFile[], onProgress: OnProgress) {
  const sizes = new Map(files.map((file) => [file, bytesToRead(file)]));
  const totalBytes = (some: readonly LogFile[]) =>
    some.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  const total = { filesTotal: files.length, bytesTotal: totalBytes(files) };
  const done = { files: 0, rows: 0, read: 0, ofFile: 0, written: 0 };
  const report = (writing = 0) => {
    // A merge of stored parts reads no file.
    if (files.length === 0) return;
    const read = readingShare * (done.read + done.ofFile);
    const bytes = Math.round(read + (1 - readingShare) * (done.written + writing));
    onProgress({ files: done.files, rows: done.rows, bytes, ...total });
  };
  return {
    read: (bytes: number, rows: number): void => {
      done.ofFile += bytes;
      done.rows += rows;
      report();
    },
    fileRead: (file: LogFile): void => {
      done.files += 1;
      done.read += totalBytes([file]);
      done.ofFile = 0;
      report();
    },
    /** Runs a task that writes the contents of some files, and polls the engine's progress. */
    write: async <T>(
      connection: DuckDBConnection,
      some: readonly LogFile[],
      work: () => Promise<T>,
    ): Promise<T> => {
      const bytes = totalBytes(some);
      let share = 0;
      const timer = setInterval(() => {
        // The engine reports -1 until it knows, and restarts at 0 for the short statements after the long one.
        share = Math.max(share, Math.min(connection.progress.percentage, 100) / 100);
        report(bytes * share);
      }, pollEveryMs);
      try {
        return await work();
      } finally {
        clearInterval(timer);
        done.written += bytes;
        report();
      }
    },
  };
}

/** The number of bytes to read from a file; 0 if it is not accessible. */
export function bytesToRead({ path, slice }: Pick<LogFile, 'path' | 'slice'>): number {
  if (slice !== undefined) return slice.toBytes - slice.from.bytes;
  return ignoreErrors(() => statSync(path).size) ?? 0;
}
