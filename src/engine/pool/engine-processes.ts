import type { EngineProcess } from './engine-process.js';

/** The open engine processes: busy ones and idle ones; one idle process is the spare. */
export interface EngineProcesses {
  /** Settles once there is an idle process. @throws SetupError if it cannot open the database */
  openSpare(): Promise<void>;
  /** Takes a process for a statement, a new one if it must be; it may still be opening. */
  take(mustBeNew: boolean): EngineProcess;
  /** Returns a process that has finished its statement, or has ended. */
  giveBack(one: EngineProcess): void;
  state(): EngineProcessesState;
  /** Ends all processes; settles when they have ended. */
  end(): Promise<void>;
}

/** Counts of the processes. */
export interface EngineProcessesState {
  readonly processes: number;
  /** How many were killed or crashed. */
  readonly restarts: number;
  /** Whether the last start succeeded. */
  readonly canStart: boolean;
}

/** Called with the error of a process that could not open its database. */
export type StartFailure = (error: unknown) => void;

/** How long after a failed start the next one is tried, in milliseconds. */
const retryMs = 2_000;

/** How often unneeded processes are ended, in milliseconds. */
const sweepMs = 10_000;

/** How long a process may be idle before it is unneeded, in milliseconds. */
const idleMs = 30_000;

/** An idle spare whose memory has grown by more than this factor is replaced. */
const maxGrowth = 1.5;

/** How processes are started, and their limit. */
export interface ProcessesOptions {
  readonly max: number;
  readonly start: () => EngineProcess;
  readonly onStartFailure: StartFailure;
}

/** Manages at most `max` processes: starts them on demand, and keeps a spare while the limit allows one. */
export function createProcesses(options: ProcessesOptions): EngineProcesses {
  const { max, start, onStartFailure } = options;
  const open = createOpenSet(start, (error) => {
    onStartFailure(error);
    clearTimeout(retry);
    retry = setTimeout(keepSpare, retryMs).unref();
  });
  let retry: NodeJS.Timeout | undefined;
  /** When each process became idle, in order; the most recently used is last. */
  const idle = new Map<EngineProcess, number>();
  let isClosed = false;
  const keepSpare = () => {
    if (isClosed) return;
    for (const one of idle.keys()) if (!one.isAlive()) idle.delete(one);
    if (idle.size === 0 && open.all.size < max) idle.set(open.start(), performance.now());
  };
  const sweep = () => {
    for (const one of unneeded(idle, performance.now() - idleMs)) {
      idle.delete(one);
      open.retire(one);
    }
    keepSpare();
  };
  const timer = setInterval(sweep, sweepMs).unref();
  return {
    openSpare() {
      keepSpare();
      return [...idle.keys()][0]?.opened ?? Promise.resolve();
    },
    take(mustBeNew) {
      const usable = mustBeNew ? [] : [...idle.keys()].filter((each) => each.isAlive());
      const one = usable.at(-1) ?? open.start();
      idle.delete(one);
      keepSpare();
      return one;
    },
    giveBack(one) {
      if (one.isAlive()) idle.set(one, performance.now());
      else keepSpare();
    },
    state: open.state,
    async end() {
      isClosed = true;
      clearInterval(timer);
      open.close();
      clearTimeout(retry);
      const all = [...open.all];
      for (const one of all) open.retire(one);
      await Promise.all(all.map((one) => one.ended));
    },
  };
}

/** The processes idle since before `sinceMs`, except one spare; the spare too if its memory has grown. */
function unneeded(
  idle: ReadonlyMap<EngineProcess, number>,
  sinceMs: number,
): readonly EngineProcess[] {
  const unused = [...idle].filter(([, since]) => since < sinceMs).map(([one]) => one);
  const spare = unused.length === idle.size ? unused.at(-1) : undefined;
  return unused.filter((one) => one !== spare || one.growth() > maxGrowth);
}

/** The processes that have not ended, and counts of the others. */
function createOpenSet(startOne: () => EngineProcess, onStartFailure: StartFailure) {
  const all = new Set<EngineProcess>();
  const retired = new WeakSet<EngineProcess>();
  let restarts = 0;
  let canStart = true;
  let isClosed = false;
  const drop = (one: EngineProcess, error: unknown) => {
    // A statement that has taken the process gets the error too.
    one.end();
    if (isClosed || retired.has(one)) return;
    canStart = false;
    onStartFailure(error);
  };
  return {
    all: all as ReadonlySet<EngineProcess>,
    state: () => ({ processes: all.size, restarts, canStart }),
    start(): EngineProcess {
      const one = startOne();
      all.add(one);
      // Do not start another one here: a process that always fails would be restarted forever.
      void one.ended.then(() => {
        all.delete(one);
        restarts += retired.has(one) ? 0 : 1;
      });
      one.opened.then(
        () => {
          canStart = true;
        },
        (error: unknown) => drop(one, error),
      );
      return one;
    },
    retire(one: EngineProcess): void {
      retired.add(one);
      one.end();
    },
    close(): void {
      isClosed = true;
    },
  };
}
