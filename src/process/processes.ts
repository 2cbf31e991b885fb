import { residentBytes } from './memory.js';
import { shutdownError } from './stop-errors.js';

/** One of several processes that do the same work. */
export interface WorkProcess {
  readonly pid: number | undefined;
  /** Settles once it accepts work. */
  readonly opened: Promise<unknown>;
  /** Whether it accepts more work. */
  isAlive(): boolean;
  end(): void;
  /** Settles when the process has ended. */
  readonly ended: Promise<unknown>;
}

/** The open processes: busy ones and idle ones; one idle process is the spare. */
export type Processes<P extends WorkProcess> = ReturnType<typeof createProcesses<P>>;

/** Called with the error of a process that could not open. */
export type StartFailure = (error: unknown) => void;

/** The interval, in milliseconds, at which unneeded processes end and a spare that could not start is retried. */
const sweepMs = 2_000;

/** The default time after which an idle process is unneeded, in milliseconds. */
const usualIdleMs = 30_000;

/** The maximum memory that an idle process may have gained since its start, in bytes. */
const maxGrownBytes = 100_000_000;

/** The options for starting and keeping processes. */
export interface ProcessesOptions<P extends WorkProcess> {
  readonly start: () => P;
  /** A spare is started only while there are fewer processes. With 0, no process stays for longer than `idleMs`. */
  readonly max: number;
  readonly idleMs?: number;
  readonly onStartFailure?: StartFailure;
}

/**
 * Manages processes: starts them on demand, keeps a spare while `max` allows one, and ends those that stay idle; ends
 * a last one only if it keeps much memory.
 */
export function createProcesses<P extends WorkProcess>(options: ProcessesOptions<P>) {
  const open = createOpenSet(options);
  /** The time at which each process became idle, in order; the most recently used is last. */
  const idle = new Map<P, number>();
  let isClosed = false;
  const keepSpare = () => {
    if (isClosed) return;
    for (const one of idle.keys()) if (!one.isAlive()) idle.delete(one);
    if (idle.size === 0 && open.all.size < options.max) idle.set(open.start(), performance.now());
  };
  const sweep = () => {
    const sinceMs = performance.now() - (options.idleMs ?? usualIdleMs);
    for (const one of unneeded(idle, sinceMs, open.mustEnd)) {
      idle.delete(one);
      open.retire(one);
    }
    keepSpare();
  };
  const timer = setInterval(sweep, sweepMs).unref();
  return {
    /** The processes that have not ended. */
    all: open.all,
    /** Returns the idle process that work without a preference would take last, and marks it as used. */
    leastUsed(): P | undefined {
      const one = [...idle.keys()].find((each) => each.isAlive());
      // The process keeps its position: while it opens data, work takes the others first.
      if (one !== undefined) idle.set(one, performance.now());
      return one;
    },
    /** Settles when there is an idle process. @throws the error of a process that cannot open */
    openSpare(): Promise<unknown> {
      keepSpare();
      return [...idle.keys()][0]?.opened ?? Promise.resolve();
    },
    /**
     * Takes a process: a new one if it must be new, otherwise an idle one, preferably a preferred one; it may still
     * be opening.
     * @throws ServiceError `backendBusy` after the end
     */
    take(mustBeNew: boolean, isPreferred: (one: P) => boolean = () => false): P {
      if (isClosed) throw shutdownError();
      const usable = mustBeNew ? [] : [...idle.keys()].filter((each) => each.isAlive());
      const one = usable.findLast(isPreferred) ?? usable.at(-1) ?? open.start();
      idle.delete(one);
      keepSpare();
      return one;
    },
    /** Returns a process that has finished its work, or has ended. */
    giveBack(one: P): void {
      if (one.isAlive()) idle.set(one, performance.now());
      else keepSpare();
    },
    state: open.state,
    /** Ends all processes; settles when they have ended. */
    async end(): Promise<void> {
      isClosed = true;
      clearInterval(timer);
      const all = [...open.all];
      for (const one of all) open.retire(one);
      await Promise.all(all.map((one) => one.ended));
    },
  };
}

/** Returns the processes idle since before `sinceMs`, except one spare that need not end. */
function unneeded<P>(
  idle: ReadonlyMap<P, number>,
  sinceMs: number,
  mustEnd: (one: P) => boolean,
): readonly P[] {
  const unused = [...idle].filter(([, since]) => since < sinceMs).map(([one]) => one);
  const mayKeep = unused.length === idle.size;
  const spare = mayKeep ? unused.findLast((one) => !mustEnd(one)) : undefined;
  return unused.filter((one) => one !== spare);
}

/** Keeps the set of processes that have not ended, and counts the others. */
function createOpenSet<P extends WorkProcess>({
  start: startOne,
  max,
  onStartFailure,
}: ProcessesOptions<P>) {
  const all = new Set<P>();
  const shown: ReadonlySet<P> = all;
  const retired = new WeakSet<P>();
  const bytesAfterStart = new WeakMap<P, number>();
  let restarts = 0;
  let canStart = true;
  const drop = (one: P, error: unknown) => {
    // Work that has taken the process gets the error too.
    one.end();
    if (retired.has(one)) return;
    canStart = false;
    onStartFailure?.(error);
  };
  return {
    all: shown,
    /** The number of processes, how many were killed or crashed, and whether the last start succeeded. */
    state: () => ({ processes: all.size, restarts, canStart }),
    /** Whether a process must not stay idle, because none may, or because its memory has grown much since it opened. */
    mustEnd: (one: P) =>
      max === 0 ||
      residentBytes(one.pid) - (bytesAfterStart.get(one) ?? Number.POSITIVE_INFINITY) >
        maxGrownBytes,
    start(): P {
      const one = startOne();
      all.add(one);
      // Do not start a replacement here: a process that always fails would be restarted forever.
      void one.ended.then(() => {
        all.delete(one);
        restarts += retired.has(one) ? 0 : 1;
      });
      one.opened.then(
        () => {
          canStart = true;
          bytesAfterStart.set(one, residentBytes(one.pid));
        },
        (error: unknown) => drop(one, error),
      );
      return one;
    },
    retire(one: P): void {
      retired.add(one);
      one.end();
    },
  };
}
