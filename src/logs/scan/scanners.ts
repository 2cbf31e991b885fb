import { rm } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { builtPath } from '../../common/package-paths.js';
import { type Scanned, type Scanning, scanLines } from './scan-lines.js';

/** The task of a worker thread; plain values. */
export type ScanTask = Omit<Scanning, 'onRead'>;

/** A message of a worker thread: any number of progress reports, then one result. */
export type ScanAnswer =
  | { readonly read: { readonly bytes: number; readonly lines: number } }
  | { readonly scanned: Scanned | undefined }
  | { readonly failed: true };

/** Scans several pieces of a file at the same time. */
export interface Scanners {
  readonly count: number;
  /** @throws the errors of {@link scanLines} */
  scanAll(pieces: readonly Scanning[]): Promise<readonly (Scanned | undefined)[]>;
  /** Ends the worker threads; the next scan starts new ones. */
  release(): Promise<void>;
}

/**
 * More threads would use memory that no limit counts, and save little, because DuckDB then spends more
 * time writing than the threads spend scanning.
 */
const maxScanners = 4;

/**
 * Scans with this thread and up to `wanted` - 1 worker threads, started on demand. If a worker fails,
 * this thread does its work.
 */
export function createScanners(wanted: number, start: () => Worker = startWorker): Scanners {
  const count = Math.min(wanted, maxScanners);
  const workers = new Set<Worker>();
  return {
    count,
    async scanAll(pieces) {
      if (pieces.length > 1) startUpTo(count - 1, workers, start);
      const work: Work = { queue: [...pieces.entries()], failed: [], found: [] };
      const works = [
        scanHere(work.queue, work),
        ...[...workers].map((worker) => scanInWorker(worker, work, () => workers.has(worker))),
      ];
      // Wait for all threads: a busy one must not get a piece of the next file.
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

const program = builtPath('scan-worker.js');

function startWorker(): Worker {
  return new Worker(program, { execArgv: [], env: {} });
}

/** Starts workers; each stays in the set while it lives. */
function startUpTo(count: number, workers: Set<Worker>, start: () => Worker): void {
  while (workers.size < count) {
    try {
      const worker = start();
      workers.add(worker);
      // An unhandled error event would end the load; the worker exits after it anyway.
      worker.on('error', () => undefined).once('exit', () => workers.delete(worker));
    } catch {
      // The system may refuse more threads; continue with those that run.
      return;
    }
  }
}

type Piece = readonly [index: number, scanning: Scanning];

interface Work {
  readonly queue: Piece[];
  /** Pieces that a worker failed to scan. */
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

/** A worker that fails gets no more pieces; if the file is the cause, this thread reports it. */
async function scanInWorker(
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
      await rm(next[1].deferredFile, { force: true });
    }
  }
}

/** @throws if the worker fails or exits early; its progress reports are reverted then */
function ask(worker: Worker, { onRead, ...task }: Scanning): Promise<Scanned | undefined> {
  return new Promise((resolve, reject) => {
    const reported = { bytes: 0, lines: 0 };
    const fail = () => {
      worker.off('message', onMessage).off('exit', fail);
      onRead(-reported.bytes, -reported.lines);
      reject(new Error('the worker failed'));
    };
    const onMessage = (answer: ScanAnswer) => {
      if ('failed' in answer) return fail();
      if ('scanned' in answer) {
        worker.off('message', onMessage).off('exit', fail);
        return resolve(answer.scanned);
      }
      reported.bytes += answer.read.bytes;
      reported.lines += answer.read.lines;
      onRead(answer.read.bytes, answer.read.lines);
    };
    worker.on('message', onMessage).once('exit', fail);
    worker.postMessage(task satisfies ScanTask);
  });
}
