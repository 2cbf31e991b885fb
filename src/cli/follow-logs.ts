import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import type { ServedData, Serving } from '../serving.js';
import { faultLines } from '../source/load-report.js';
import { watchFolder } from '../source/watch.js';
import type { LoadedLogs, Logs } from './load-logs.js';

/** What follows log files works with. */
export interface Following {
  readonly logs: Logs;
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

/** How soon what failed is tried again, in milliseconds. */
const retryMs = 1_000;

/** A follower of logs, of which the first state is served already. */
export function createFollower(following: Following): Follower {
  const { logs, log } = following;
  const { current, serve } = createSwitch(following);
  const closing = new AbortController();
  const problems = createProblems(log);
  const retry = (error: unknown) => {
    problems.tell(error);
    setTimeout(change, retryMs).unref();
  };
  const enqueue = createWorkQueue(retry);
  const merge = createMerge(logs, (apply) => enqueue(async () => serve(await apply())));
  let isDue = false;
  let restsUntil = 0;
  let stop = async () => {};

  async function takeUp(): Promise<void> {
    await sleep(Math.max(waitMs, restsUntil - performance.now()));
    isDue = false;
    if (closing.signal.aborted) return;
    const start = performance.now();
    await serve(await logs.refresh());
    const end = performance.now();
    restsUntil = end + Math.min(mostRestMs, end - start);
    problems.over();
    merge().catch(retry);
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
        if (await logs.verify()) return;
        log.error({ problem: 'the disk cache is damaged: everything is loaded anew' }, 'data');
        await serve(await logs.reload());
      }),
    async close() {
      closing.abort();
      await stop();
    },
  };
}

/** Tells of what is tried again and again only what is new. */
function createProblems(log: Logger) {
  let told = '';
  return {
    tell(error: unknown): void {
      const problem = error instanceof Error ? error.message : String(error);
      if (problem !== told) log.error({ problem }, 'data');
      told = problem;
    },
    over(): void {
      if (told !== '') log.info('data can be read again');
      told = '';
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
function createMerge(logs: Logs, finish: (apply: Apply) => Promise<void>) {
  let isMerging = false;
  return async (): Promise<void> => {
    if (isMerging) return;
    isMerging = true;
    try {
      await finish(await logs.merge());
    } finally {
      isMerging = false;
    }
  };
}

/** Puts one state of the logs in the place of another. */
function createSwitch({ logs, serving, openData, log }: Following) {
  let served = logs.first;
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
    const known = new Set([...before.warnings, ...faultLines(before.files)]);
    const lines = [...now.warnings, ...faultLines(now.files)].filter((line) => !known.has(line));
    for (const line of lines) log.warn({ line }, 'load');
    log.info({ records: recordsOf(now), before: recordsOf(before) }, 'data');
  }

  return { current: () => served, serve };
}

function recordsOf({ files }: LoadedLogs): number {
  return files.reduce((sum, { records }) => sum + records, 0);
}
