import { setTimeout } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';

/** Returns the result of the work, or `late` if it takes longer than `ms`; late work goes on. */
export async function within<T>(ms: number, work: Promise<T>, late: T): Promise<T> {
  const over = new AbortController();
  const timer = setTimeout(ms, late, { signal: over.signal });
  // The timer rejects if the work was in time.
  timer.catch(() => {});
  try {
    return await Promise.race([work, timer]);
  } finally {
    over.abort();
  }
}

/** Ends this process when it is stuck: a thread of its own sees it where no timer here would fire. */
export interface Watch {
  /** Says what is being done; the next word must come in time. */
  doing(what: string): void;
  done(): void;
}

/** The thread: it writes what is stuck to standard error, and kills the process and its children. */
const thread = `
const { parentPort, workerData } = require('node:worker_threads');
const { spawnSync } = require('node:child_process');
const { writeSync } = require('node:fs');
let timer;
parentPort.on('message', (what) => {
  clearTimeout(timer);
  timer = setTimeout(() => {
    writeSync(2, 'This process is stuck, by: ' + what + '\\n');
    spawnSync('pkill', ['-KILL', '-P', String(process.pid)]);
    process.kill(process.pid, 'SIGKILL');
  }, workerData);
});`;

/** Starts watching; `ms` may pass between two words. */
export function startWatch(ms: number): Watch {
  const worker = new Worker(thread, { eval: true, workerData: ms });
  worker.unref();
  return {
    doing: (what) => worker.postMessage(what),
    done: () => void worker.terminate(),
  };
}
