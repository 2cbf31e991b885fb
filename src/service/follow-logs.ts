import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { watchFolder } from '../logs/refresh/watch.js';
import { type LoadedLogs, type Logs, warningLines } from './load-logs.js';
import type { ServedData, Serving } from './serving.js';

/** What follows log files works with. */
export interface Following {
  readonly logs: Logs;
  /** The state that is served at first. */
  readonly first: LoadedLogs;
  readonly serving: Serving;
  readonly openData: (logs: LoadedLogs) => Promise<ServedData>;
  readonly log: Logger;
}

/** Serves the state of the log files that is the newest. */
export interface Follower {
  /** The state that is served. */
  current(): LoadedLogs;
  /** Takes up what happens to the files of a folder from now on. */
  watch(dataFolder: string): void;
  /** Looks at every byte of what is stored, and loads everything anew where it is damaged. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/** A writer often writes again at once: so long one change waits for the next, in milliseconds. */
const waitMs = 100;

/** Half of the time, but at most so long in milliseconds, the machine is left to queries. */
const mostRestMs = 1_000;

/** How soon what failed is tried again, twice as late each time, and at the latest; in milliseconds. */
const retryMs = 1_000;
const mostRetryMs = 300_000;

/** A follower of logs, of which the first state is served already. */
export function createFollower(following: Following): Follower {
  const { logs, log } = following;
  const { current, serve } = createSwitch(following);
  const loader = createLoader(logs, serve);
  const closing = new AbortController();
  const problems = createProblems(log, 'data can be read again');
  const enqueue = createWorkQueue((error) => {
    setTimeout(change, problems.tell(error)).unref();
  });
  const merge = createMerge(following, (apply) => enqueue(async () => serve(await apply())));
  let isDue = false;
  let stop = async () => {};

  async function takeUp(): Promise<void> {
    await sleep(Math.max(waitMs, loader.restMs()));
    isDue = false;
    if (closing.signal.aborted) return;
    await loader.refresh();
    problems.over();
    void merge();
  }

  function change(): void {
    if (isDue || closing.signal.aborted) return;
    isDue = true;
    void enqueue(takeUp);
  }

  return {
    current,
    watch(dataFolder) {
      stop = watchFolder(dataFolder, change).close;
      change();
    },
    verify: () =>
      enqueue(async () => {
        if (!(await logs.verify())) {
          log.error({ problem: 'the disk cache is damaged: everything is loaded anew' }, 'data');
          await loader.reload();
        }
        void merge();
      }),
    async close() {
      closing.abort();
      await stop();
    },
  };
}

/** Loads what is new, or, until that has succeeded once where it had to be, everything. */
function createLoader(logs: Logs, serve: (next: LoadedLogs | undefined) => Promise<void>) {
  let load = logs.refresh;
  let restsUntil = 0;
  async function refresh(): Promise<void> {
    const start = performance.now();
    try {
      await serve(await load());
      load = logs.refresh;
    } finally {
      const end = performance.now();
      restsUntil = end + Math.min(mostRestMs, end - start);
    }
  }
  return {
    restMs: () => restsUntil - performance.now(),
    refresh,
    reload(): Promise<void> {
      load = logs.reload;
      return refresh();
    },
  };
}

/** Tells of what is tried again and again only what is new, and says when to try it again. */
function createProblems(log: Logger, isOver: string) {
  let told = '';
  let failures = 0;
  return {
    /** The delay, in milliseconds. */
    tell(error: unknown): number {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== told) log.error({ problem }, 'data');
      told = problem;
      failures += 1;
      return Math.min(mostRetryMs, retryMs * 2 ** (failures - 1));
    },
    over(): void {
      if (told !== '') log.info(isOver);
      told = '';
      failures = 0;
    },
  };
}

/** Work that is done one after another; `fail` hears of what fails. */
function createWorkQueue(fail: (error: unknown) => void) {
  let work = Promise.resolve();
  return (step: () => Promise<void>): Promise<void> => {
    work = work.then(step).catch(fail);
    return work;
  };
}

type Apply = Awaited<ReturnType<Logs['merge']>>;

/** Merges beside all other work, once at a time; only the end of it takes its turn. */
function createMerge({ logs, log }: Following, finish: (apply: Apply) => Promise<void>) {
  const problems = createProblems(log, 'parts can be merged again');
  let isMerging = false;
  let restsUntil = 0;
  return async (): Promise<void> => {
    if (isMerging || performance.now() < restsUntil) return;
    isMerging = true;
    try {
      // Not awaited where it is called: the work that calls it may stand before it in the queue.
      const apply = await logs.merge();
      void finish(apply);
      problems.over();
    } catch (error) {
      restsUntil = performance.now() + problems.tell(error);
    } finally {
      isMerging = false;
    }
  };
}

/** Puts one state of the logs in the place of another. */
function createSwitch({ first, serving, openData, log }: Following) {
  let served = first;
  let wanted: LoadedLogs | undefined;

  /** Serves the newest state: this one, or that of last time where it could not be opened then. */
  async function serve(next: LoadedLogs | undefined): Promise<void> {
    if (next !== undefined) {
      wanted?.release();
      wanted = next;
    }
    if (wanted === undefined) return;
    const data = await openData(wanted);
    const before = served;
    served = wanted;
    wanted = undefined;
    // Requests that run keep the old files until they end.
    void serving.replace(data).then(before.release);
    tell(before, served);
  }

  function tell(before: LoadedLogs, now: LoadedLogs): void {
    const known = new Set(warningLines(before));
    const lines = warningLines(now).filter((line) => !known.has(line));
    for (const line of lines) log.warn({ line }, 'load');
    log.info({ records: recordsOf(now), before: recordsOf(before) }, 'data');
  }

  return { current: () => served, serve };
}

function recordsOf({ files }: LoadedLogs): number {
  return files.reduce((sum, { records }) => sum + records, 0);
}
