import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { builtPath } from '../../common/package-paths.js';
import { type Scanned, type Scanning, scanLines } from './scan-lines.js';

/** Plain values, so that they can cross to a thread. */
export type ScanTask = Omit<Scanning, 'onRead'>;

/** What a thread says: how far it is, and once what came of its task. */
export type ScanAnswer =
  | { readonly read: { readonly bytes: number; readonly lines: number } }
  | { readonly scanned: Scanned | undefined }
  | { readonly failed: true };

/** What scans lines, several pieces at the same time. */
export interface Scanners {
  readonly count: number;
  /** @throws what {@link scanLines} throws */
  scanAll(pieces: readonly Scanning[]): Promise<readonly (Scanned | undefined)[]>;
  /** Ends the other threads; they are started anew when there is work for them again. */
  release(): Promise<void>;
}

/** More would take memory that no limit counts, and are not much faster: DuckDB writes longer. */
const mostScanners = 4;

/**
 * This thread and others, as many as are wanted or a few; they are started when there is work for them.
 * Whatever is wrong with one of them, this thread does its work.
 */
export function createScanners(wanted: number, start: () => Worker = startWorker): Scanners {
  const count = Math.min(wanted, mostScanners);
  const workers = new Set<Worker>();
  return {
    count,
    async scanAll(pieces) {
      if (pieces.length > 1) startUpTo(count - 1, workers, start);
      const work: Work = { queue: [...pieces.entries()], failed: [], found: [] };
      const works = [
        scanHere(work.queue, work),
        ...[...workers].map((worker) => scanThere(worker, work, () => workers.has(worker))),
      ];
      // A thread that is still at work must not be given the next file.
      await Promise.allSettled(works);
      await Promise.all(works);
      await scanHere(work.failed, work);
      return work.found;
    },
    async release() {
      await Promise.all([...workers].map((worker) => worker.terminate()));
    },
  };
}

const program = builtPath('logs/scan/worker.js');

function startWorker(): Worker {
  return new Worker(program, { execArgv: [], env: {} });
}

/** Each is one of the workers for as long as it lives. */
function startUpTo(count: number, workers: Set<Worker>, start: () => Worker): void {
  while (workers.size < count) {
    try {
      const worker = start();
      workers.add(worker);
      // An error that nobody listens for would end the load; after it the worker exits.
      worker.on('error', () => undefined).once('exit', () => workers.delete(worker));
    } catch {
      // There may be no more threads: those that are there suffice.
      return;
    }
  }
}

type Piece = readonly [place: number, scanning: Scanning];

interface Work {
  readonly queue: Piece[];
  /** What a worker could not do. */
  readonly failed: Piece[];
  readonly found: (Scanned | undefined)[];
}

async function scanHere(pieces: Piece[], { queue, found }: Work): Promise<void> {
  try {
    for (let next = pieces.shift(); next !== undefined; next = pieces.shift()) {
      found[next[0]] = await scanLines(next[1]);
    }
  } finally {
    queue.length = 0;
  }
}

/** A worker that fails is not asked again; if the file is at fault, this thread will say so. */
async function scanThere(
  worker: Worker,
  { queue, failed, found }: Work,
  isAlive: () => boolean,
): Promise<void> {
  while (isAlive()) {
    const next = queue.shift();
    if (next === undefined) return;
    try {
      found[next[0]] = await ask(worker, next[1]);
    } catch {
      failed.push(next);
      await worker.terminate();
      await rm(next[1].oddFile, { force: true });
    }
  }
}

/** @throws where the worker fails or ends before; what it has told is taken back then */
function ask(worker: Worker, { onRead, ...task }: Scanning): Promise<Scanned | undefined> {
  return new Promise((resolve, reject) => {
    const told = { bytes: 0, lines: 0 };
    const fail = () => {
      worker.off('message', hear).off('exit', fail);
      onRead(-told.bytes, -told.lines);
      reject(new Error('the worker failed'));
    };
    const hear = (answer: ScanAnswer) => {
      if ('failed' in answer) return fail();
      if ('scanned' in answer) {
        worker.off('message', hear).off('exit', fail);
        return resolve(answer.scanned);
      }
      told.bytes += answer.read.bytes;
      told.lines += answer.read.lines;
      onRead(answer.read.bytes, answer.read.lines);
    };
    worker.on('message', hear).once('exit', fail);
    worker.postMessage(task satisfies ScanTask);
  });
}
