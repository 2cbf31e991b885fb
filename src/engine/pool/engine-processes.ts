import type { EngineProcess } from './engine-process.js';

/** The engine processes that are open: those at work, and those that wait, of which one is the spare. */
export interface EngineProcesses {
  /** Settles once a process waits for work. @throws SetupError where it cannot open the database */
  openSpare(): Promise<void>;
  /** One for a statement, which may still be opening. */
  take(): EngineProcess;
  /** One that has done its work, or is ended. */
  giveBack(one: EngineProcess): void;
  state(): EngineProcessesState;
  /** Ends all; settles when they are gone. */
  end(): Promise<void>;
}

/** What there is of them. */
export interface EngineProcessesState {
  readonly processes: number;
  /** How many have ended in another way than for want of work. */
  readonly restarts: number;
  /** Whether the process that was tried last has opened. */
  readonly canStart: boolean;
}

/** Hears why a process could not open its database. */
export type StartFailure = (error: unknown) => void;

/** After how long one that could not start is tried again, in milliseconds, although nobody asks. */
const retryMs = 2_000;

/** How often processes that nobody needs are looked for, in milliseconds. */
const sweepMs = 10_000;

/** How long one may wait for work until it is one of those. */
const idleMs = 30_000;

/** How much more memory than when it was new a spare may keep. */
const grownBy = 1.5;

/** How processes are started, and how many there may be. */
export interface ProcessesOptions {
  readonly most: number;
  readonly start: () => EngineProcess;
  readonly onStartFailure: StartFailure;
}

/** At most `most` processes, started when they are needed, and a spare as long as there is room for it. */
export function createProcesses(options: ProcessesOptions): EngineProcesses {
  const { most, start, onStartFailure } = options;
  const open = createOpenSet(start, (error) => {
    onStartFailure(error);
    clearTimeout(retry);
    retry = setTimeout(keepSpare, retryMs).unref();
  });
  let retry: NodeJS.Timeout | undefined;
  /** Since when each waits; the one that has worked last is the last. */
  const idle = new Map<EngineProcess, number>();
  let isClosed = false;
  const keepSpare = () => {
    if (isClosed) return;
    for (const one of idle.keys()) if (!one.isAlive()) idle.delete(one);
    if (idle.size === 0 && open.all.size < most) idle.set(open.start(), performance.now());
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
    take() {
      const one = [...idle.keys()].filter((each) => each.isAlive()).at(-1) ?? open.start();
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

/** Of those that wait since before `old`: all but one, and that one too where it keeps much memory. */
function unneeded(idle: ReadonlyMap<EngineProcess, number>, old: number): readonly EngineProcess[] {
  const unused = [...idle].filter(([, since]) => since < old).map(([one]) => one);
  const spare = unused.length === idle.size ? unused.at(-1) : undefined;
  return unused.filter((one) => one !== spare || one.growth() > grownBy);
}

/** The processes that are not gone, and what became of the others. */
function createOpenSet(startOne: () => EngineProcess, onStartFailure: StartFailure) {
  const all = new Set<EngineProcess>();
  const retired = new WeakSet<EngineProcess>();
  let restarts = 0;
  let canStart = true;
  let isClosed = false;
  const drop = (one: EngineProcess, error: unknown) => {
    // Whoever takes it hears why, too; a spare that nobody takes is dropped.
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
      // Nothing is started here: a process that cannot live would be started again and again.
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
