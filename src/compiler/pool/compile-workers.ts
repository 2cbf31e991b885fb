import type { CompileData } from './compile-messages.js';
import type { CompileWorker } from './compile-worker.js';

/** A fixed number of compile workers, each started before it is needed. */
export interface CompileWorkers {
  /** Starts missing workers and sends data to all; workers that start later get the latest data. */
  open(data: CompileData): void;
  /** Takes a worker, which may still be starting. @throws Error if none can be started */
  take(): CompileWorker;
  /** Returns a worker; if it has ended, the promise settles when it has been replaced. */
  giveBack(worker: CompileWorker): Promise<void> | undefined;
  /** The number of workers that have ended, other than by {@link end}. */
  restarts(): number;
  /** Ends all workers; settles when they have ended. */
  end(why: Error): Promise<void>;
}

/** Keeps `count` workers from the first `open` on; one that has ended is replaced when it is given back. */
export function createWorkers(count: number, start: () => CompileWorker): CompileWorkers {
  const all = new Set<CompileWorker>();
  const idle = new Set<CompileWorker>();
  let latest: CompileData | undefined;
  let restarts = 0;
  let isClosed = false;

  function startOne(): CompileWorker {
    const worker = start();
    all.add(worker);
    if (latest !== undefined) void worker.open(latest).catch(() => undefined);
    void worker.ended.then(() => {
      all.delete(worker);
      idle.delete(worker);
      if (!isClosed) restarts += 1;
    });
    return worker;
  }

  function startMissing(): void {
    const alive = [...all].filter((worker) => worker.isAlive()).length;
    try {
      for (let missing = count - alive; missing > 0 && !isClosed; missing--) idle.add(startOne());
    } catch {
      // The next `take` starts a worker itself, and throws the error.
    }
  }

  async function replaceEnded(): Promise<void> {
    startMissing();
    const data = latest;
    if (data === undefined) return;
    await Promise.allSettled([...idle].map((worker) => worker.open(data)));
  }

  return {
    open(data) {
      latest = data;
      for (const worker of all) void worker.open(data).catch(() => undefined);
      startMissing();
    },
    take() {
      const worker = firstReady(idle) ?? startOne();
      idle.delete(worker);
      return worker;
    },
    giveBack(worker) {
      if (!worker.isAlive()) return replaceEnded();
      idle.add(worker);
      return undefined;
    },
    restarts: () => restarts,
    end(why) {
      isClosed = true;
      return endAll([...all], why);
    },
  };
}

/** A worker that is ready, or else one that is still starting. */
function firstReady(idle: ReadonlySet<CompileWorker>): CompileWorker | undefined {
  const alive = [...idle].filter((worker) => worker.isAlive());
  return alive.find((worker) => worker.isReady()) ?? alive[0];
}

async function endAll(workers: readonly CompileWorker[], why: Error): Promise<void> {
  for (const worker of workers) worker.end(why);
  await Promise.all(workers.map(({ ended }) => ended));
}
