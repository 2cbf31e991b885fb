import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { type Scanned, type Scanning, scanLines } from './load-scan.js';

/** Plain values, so that they can cross to a thread. */
export type ScanTask = Omit<Scanning, 'onRead'>;

/** What a thread says: how far it is, and once what came of its task. */
export type ScanAnswer =
  | { readonly read: { readonly bytes: number; readonly lines: number } }
  | { readonly scanned: Scanned | undefined }
  | { readonly failure: Failure };

/** An error, as what fileFault makes a sentence of. */
interface Failure {
  readonly message: string;
  readonly code: string | undefined;
}

/** What scans lines, several pieces at the same time. */
export interface Scanners {
  readonly count: number;
  /** @throws what {@link scanLines} throws */
  scanAll(pieces: readonly Scanning[]): Promise<readonly (Scanned | undefined)[]>;
  close(): Promise<void>;
}

type ScanPiece = (piece: Scanning) => Promise<Scanned | undefined>;

/** This thread and as many others as there are more; they are started when there is work for them. */
export function createScanners(count: number): Scanners {
  const workers: Worker[] = [];
  const startAll = () => {
    while (workers.length < count - 1) {
      workers.push(new Worker(program, { execArgv: [], env: {} }));
    }
  };
  return {
    count,
    async scanAll(pieces) {
      if (pieces.length > 1) startAll();
      const queue = [...pieces.entries()];
      const found: (Scanned | undefined)[] = [];
      const work = async (scan: ScanPiece) => {
        for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
          found[next[0]] = await scan(next[1]);
        }
      };
      const works = [scanLines, ...workers.map(scanWith)].map((scan) =>
        work(scan).catch((error: unknown) => {
          queue.length = 0;
          throw error;
        }),
      );
      // A thread that is still at work must not be given the next file.
      await Promise.allSettled(works);
      await Promise.all(works);
      return found;
    },
    async close() {
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}

const program = fileURLToPath(new URL('../../dist/source/load-scan-worker.js', import.meta.url));

function scanWith(worker: Worker): ScanPiece {
  return ({ onRead, ...task }) =>
    new Promise((resolve, reject) => {
      const hear = (answer: ScanAnswer) => {
        if ('read' in answer) return onRead(answer.read.bytes, answer.read.lines);
        worker.off('message', hear).off('error', reject);
        if ('scanned' in answer) resolve(answer.scanned);
        else reject(failureOf(answer.failure));
      };
      worker.on('message', hear).once('error', reject);
      worker.postMessage(task satisfies ScanTask);
    });
}

function failureOf({ message, code }: Failure): Error {
  return Object.assign(new Error(message), code === undefined ? {} : { code });
}
