import type { Logger } from 'pino';

/** The first and the maximum delay before a retry, in milliseconds; each delay doubles the last one. */
const retryMs = 1_000;
const maxRetryMs = 300_000;

/** Logs each problem of repeated attempts once, and computes the delay before the next attempt. */
export function createProblems(log: Logger, solvedMessage: string, msg = 'data') {
  let reported = '';
  let failures = 0;
  return {
    /** Returns the delay in milliseconds. */
    report(error: unknown): number {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== reported) log.error({ problem }, msg);
      reported = problem;
      failures += 1;
      return Math.min(maxRetryMs, retryMs * 2 ** (failures - 1));
    },
    clear(): void {
      if (reported !== '') log.info(solvedMessage);
      reported = '';
      failures = 0;
    },
  };
}

/** Runs a step after all earlier ones; returns whether it succeeds. */
export type Enqueue = (step: () => Promise<unknown>) => Promise<boolean>;

/** Runs steps one after another; calls `fail` with the error of a failed step. */
export function createWorkQueue(fail: (error: unknown) => void): Enqueue {
  let work = Promise.resolve(true);
  return (step) => {
    work = work.then(step).then(
      () => true,
      (error: unknown) => {
        fail(error);
        return false;
      },
    );
    return work;
  };
}

/** Queues a step for each call; calls share one that has not started. Rejects if the step fails or returns an error. */
export function shareWaiting(enqueue: Enqueue, step: () => Promise<unknown>): () => Promise<void> {
  let waiting: Promise<void> | undefined;
  return () => {
    waiting ??= new Promise((resolve, reject) => {
      void enqueue(async () => {
        waiting = undefined;
        const running = step();
        running.then((fault) => (fault === undefined ? resolve() : reject(fault)), reject);
        await running;
      });
    });
    return waiting;
  };
}
