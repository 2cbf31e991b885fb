import { statSync } from 'node:fs';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { LogFile } from '../files/files.js';

/** How far a load is; plain values. */
export interface LoadProgress {
  /** Files read, of how many. */
  readonly files: number;
  readonly filesTotal: number;
  /** Records read. */
  readonly rows: number;
  /** Bytes of the files dealt with, of how many: a file that was read has still to be written. */
  readonly bytes: number;
  readonly bytesTotal: number;
}

/** Told now and then how far a load is. */
export type OnProgress = (progress: LoadProgress) => void;

/** Keeps count of what a load has done. */
export interface Meter {
  readonly read: (bytes: number, rows: number) => void;
  readonly fileRead: (file: LogFile) => void;
  /** Does the work that writes what the files hold, and asks the engine how far it is. */
  readonly write: <T>(
    connection: DuckDBConnection,
    files: readonly LogFile[],
    work: () => Promise<T>,
  ) => Promise<T>;
}

/** What reading takes of the whole work, about; the rest is writing. */
const readingShare = 0.25;
const askEveryMs = 250;

/** A meter of the work on the given files. */
export function createMeter(files: readonly LogFile[], onProgress: OnProgress): Meter {
  const sizes = new Map(files.map((file) => [file, sizeOf(file)]));
  const bytesOf = (some: readonly LogFile[]) =>
    some.reduce((sum, file) => sum + (sizes.get(file) ?? 0), 0);
  const total = { filesTotal: files.length, bytesTotal: bytesOf(files) };
  const done = { files: 0, rows: 0, read: 0, ofFile: 0, written: 0 };
  const tell = (writing = 0) => {
    const read = readingShare * (done.read + done.ofFile);
    const bytes = Math.round(read + (1 - readingShare) * (done.written + writing));
    onProgress({ files: done.files, rows: done.rows, bytes, ...total });
  };
  return {
    read: (bytes, rows) => {
      done.ofFile += bytes;
      done.rows += rows;
      tell();
    },
    fileRead: (file) => {
      done.files += 1;
      done.read += bytesOf([file]);
      done.ofFile = 0;
      tell();
    },
    write: async (connection, some, work) => {
      const bytes = bytesOf(some);
      let share = 0;
      const timer = setInterval(() => {
        // Of the statements after the long one the engine speaks, too.
        share = Math.max(share, progressOf(connection));
        tell(bytes * share);
      }, askEveryMs);
      try {
        return await work();
      } finally {
        clearInterval(timer);
        done.written += bytes;
        tell();
      }
    },
  };
}

/** From 0 to 1; the engine says -1 while it does not know. */
function progressOf(connection: DuckDBConnection): number {
  return Math.min(Math.max(connection.progress.percentage, 0), 100) / 100;
}

/** What is read of a file, in bytes; what cannot be looked at is no work. */
function sizeOf({ path, slice }: LogFile): number {
  if (slice !== undefined) return slice.toBytes - slice.from.bytes;
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
