import type { EngineProcessOptions } from './engine-messages.js';
import { type EngineProcess, startEngineProcess } from './engine-process.js';

/** The engine processes that are open: those at work, and those that wait, of which one is the spare. */
export interface EngineProcesses {
  /** Settles once a process waits for work. @throws SetupError where it cannot open the database */
  openSpare(): Promise<void>;
  /** One for a statement, which may still be opening. */
  take(): EngineProcess;
  /** One that has done its work, or is ended. */
  giveBack(one: EngineProcess): void;
  state(): { readonly processes: number; readonly restarts: number };
  /** Ends all; settles when they are gone. */
  end(): Promise<void>;
}

/** How often processes that nobody needs are looked for, in milliseconds. */
const sweepMs = 10_000;

/** How long one may wait for work until it is one of those. */
const idleMs = 30_000;

/** How much more memory than when it was new a spare may keep. */
const grownBy = 1.5;

/** At most `most` processes, started when they are needed, and a spare as long as there is room for it. */
export function createProcesses(options: EngineProcessOptions, most: number): EngineProcesses {
  const open = createOpenSet(options);
  let isEnded = false;
  /** Since when each waits; the one that has worked last is the last. */
  const idle = new Map<EngineProcess, number>();
  const keepSpare = () => {
    for (const one of idle.keys()) if (!one.isAlive()) idle.delete(one);
    if (isEnded) return;
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
    state: () => ({ processes: open.all.size, restarts: open.restarts() }),
    async end() {
      isEnded = true;
      clearInterval(timer);
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

/** The processes that are not gone, and how many have ended without being retired. */
function createOpenSet(options: EngineProcessOptions) {
  const all = new Set<EngineProcess>();
  const retired = new WeakSet<EngineProcess>();
  let restarts = 0;
  return {
    all: all as ReadonlySet<EngineProcess>,
    restarts: () => restarts,
    start(): EngineProcess {
      const one = startEngineProcess(options);
      all.add(one);
      // Nothing is started here: a process that cannot live would be started again and again.
      void one.ended.then(() => {
        all.delete(one);
        restarts += retired.has(one) ? 0 : 1;
      });
      // Whoever takes it hears why; a spare that nobody takes is dropped.
      one.opened.catch(() => one.end());
      return one;
    },
    retire(one: EngineProcess): void {
      retired.add(one);
      one.end();
    },
  };
}
