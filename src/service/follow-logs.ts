import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isSameSource } from '../logs/columns/declared-sources.js';
import { type Watching, watchFolder } from '../logs/refresh/watch.js';
import { compareByName } from './compare-by-name.js';
import { type LoadedLogs, type Logs, warningLines } from './load-logs.js';
import type { ServedData, Serving } from './serving.js';

/** The options of a follower. */
export interface FollowerOptions {
  readonly logs: Logs;
  /** The version that is served at the start. */
  readonly first: LoadedLogs;
  readonly serving: Serving;
  readonly openData: (logs: LoadedLogs) => Promise<ServedData>;
  readonly log: Logger;
  /** Takes up changes of other files after each load, also after one that failed; rejects if they have faults. */
  readonly onLoaded?: (served: LoadedLogs) => Promise<void>;
}

/** Serves the newest version of the log files. */
export interface Follower {
  /** The version that is served. */
  current(): LoadedLogs;
  /** Starts to follow changes to the files of some folders, and to single files. */
  watch(...paths: readonly string[]): void;
  /**
   * Serves the files as they are now; rejects if they cannot be loaded, or the declarations of sources or other files have
   * faults.
   */
  refresh(): Promise<void>;
  /** Serves the version at the start again; rejects if it cannot be opened. */
  restart(): Promise<void>;
  /** Checks every byte of the stored files, and reloads everything if they are damaged. */
  verify(): Promise<void>;
  close(): Promise<void>;
}

/**
 * How long to wait after a change for more, in milliseconds: writers often write several times in a
 * row.
 */
const debounceMs = 100;

/**
 * The maximum pause after a load, in milliseconds: a pause as long as the load leaves half of the
 * time to queries.
 */
const maxPauseMs = 1_000;

/**
 * The first and the maximum delay before a retry, in milliseconds; each delay is twice the one
 * before.
 */
const retryMs = 1_000;
const maxRetryMs = 300_000;

/** How often to check whether database files were removed, in milliseconds. */
const restoreMs = 1_000;

/** Creates a follower of logs whose first version is already being served. */
export function createFollower(options: FollowerOptions): Follower {
  const { logs, log, onLoaded } = options;
  const { current, serve, logIgnored } = createSwitch(options);
  const loader = createLoader(options, serve);
  const closing = new AbortController();
  const problems = createProblems(log, 'data can be read again');
  const enqueue = createWorkQueue((error) => {
    setTimeout(change, problems.report(error)).unref();
  });
  const merge = createMerge(options, (apply) => enqueue(async () => serve(await apply())));
  let isDue = false;
  const watching: Watching[] = [startRestoring(options)];

  async function load(): Promise<unknown> {
    let others: unknown;
    const fault = await loader.refresh().finally(async () => {
      others = await onLoaded?.(current()).catch((error: unknown) => error);
    });
    logIgnored(logs.ignored());
    problems.clear();
    void merge();
    return fault ?? others;
  }

  async function update(): Promise<void> {
    await sleep(Math.max(debounceMs, loader.pauseMs()));
    isDue = false;
    if (!closing.signal.aborted) await load();
  }

  function change(): void {
    if (isDue || closing.signal.aborted) return;
    isDue = true;
    void enqueue(update);
  }

  return {
    current,
    watch(...paths) {
      watching.push(...paths.map((path) => watchFolder(path, change)));
      change();
    },
    refresh: throwing(shareWaiting(enqueue, load)),
    restart: shareWaiting(enqueue, async () => serve(await logs.restart())),
    verify: () =>
      enqueue(async () => {
        if (!(await logs.verify())) await loader.reloadDamaged();
        void merge();
      }),
    async close() {
      closing.abort();
      await Promise.all(watching.map((one) => one.close()));
    },
  };
}

/** Reads the declarations again. Returns their fault, if they have one; the log has it once. */
function createReadSources({ logs, log }: Pick<FollowerOptions, 'logs' | 'log'>): () => unknown {
  const problems = createProblems(log, 'the declared sources have no faults', 'sources');
  return () => {
    try {
      logs.readSources();
      problems.clear();
      return undefined;
    } catch (error) {
      problems.report(error);
      return error;
    }
  };
}

/** Loads new records; after damage, reloads everything until that succeeds. */
function createLoader(
  { logs, log }: FollowerOptions,
  serve: (next: LoadedLogs | undefined) => Promise<void>,
) {
  const readSources = createReadSources({ logs, log });
  let load = logs.refresh;
  let pausedUntil = 0;

  /** Returns the fault of the declarations, if they have one. */
  async function refresh(): Promise<unknown> {
    const start = performance.now();
    const fault = readSources();
    try {
      await serve(await load());
      load = logs.refresh;
      return fault;
    } finally {
      const end = performance.now();
      pausedUntil = end + Math.min(maxPauseMs, end - start);
    }
  }
  return {
    pauseMs: () => pausedUntil - performance.now(),
    refresh,
    reloadDamaged(): Promise<unknown> {
      log.error({ problem: 'the disk cache is damaged; everything is reloaded' }, 'data');
      load = logs.reload;
      return refresh();
    },
  };
}

/** Logs each problem of repeated attempts once, and computes the delay before the next attempt. */
function createProblems(log: Logger, solvedMessage: string, msg = 'data') {
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

/** Runs steps one after another; calls `fail` with the error of a failed step. */
function createWorkQueue(fail: (error: unknown) => void) {
  let work = Promise.resolve();
  return (step: () => Promise<void>): Promise<void> => {
    work = work.then(step).catch(fail);
    return work;
  };
}

/** Queues a step for each call; calls share one that has not started. Rejects if the step fails. */
function shareWaiting<T>(
  enqueue: (step: () => Promise<void>) => Promise<void>,
  step: () => Promise<T>,
): () => Promise<T> {
  let waiting: Promise<T> | undefined;
  return () => {
    waiting ??= new Promise((resolve, reject) => {
      void enqueue(async () => {
        waiting = undefined;
        const running = step();
        running.then(resolve, reject);
        await running;
      });
    });
    return waiting;
  };
}

/** Rejects with the error that the step returns, if it returns one. */
function throwing(step: () => Promise<unknown>): () => Promise<void> {
  return async () => {
    const error = await step();
    if (error !== undefined) throw error;
  };
}

/** Writes removed database files again; callers do not notice, because engines keep their files open. */
function startRestoring({ logs, log }: Pick<FollowerOptions, 'logs' | 'log'>): Watching {
  const problems = createProblems(log, 'the disk cache can be written again', 'cache');
  let isRestoring = false;
  const restore = async () => {
    if (isRestoring) return;
    isRestoring = true;
    try {
      const isRestored = await logs.restore?.();
      if (isRestored)
        log.warn({ problem: 'its files were removed; they are there again' }, 'cache');
      problems.clear();
    } catch (error) {
      problems.report(error);
    } finally {
      isRestoring = false;
    }
  };
  const timer = setInterval(restore, restoreMs).unref();
  return { close: async () => clearInterval(timer) };
}

type Apply = Awaited<ReturnType<Logs['merge']>>;

/**
 * Runs one merge at a time, concurrently with other work; only applying the result is queued.
 */
function createMerge({ logs, log }: FollowerOptions, finish: (apply: Apply) => Promise<void>) {
  const problems = createProblems(log, 'parts can be merged again');
  let isMerging = false;
  let pausedUntil = 0;
  return async (): Promise<void> => {
    if (isMerging || performance.now() < pausedUntil) return;
    isMerging = true;
    try {
      // Not awaited: the caller may itself be a step of the queue, before this one.
      const apply = await logs.merge();
      void finish(apply);
      problems.clear();
    } catch (error) {
      pausedUntil = performance.now() + problems.report(error);
    } finally {
      isMerging = false;
    }
  };
}

/** Replaces the served version of the logs. */
function createSwitch({ first, serving, openData, log }: FollowerOptions) {
  let served = first;
  let pending: LoadedLogs | undefined;
  let ignored: readonly string[] = [];

  /** Serves the given version; without one, retries the version that could not be opened before. */
  async function serve(next: LoadedLogs | undefined): Promise<void> {
    if (next !== undefined) {
      pending?.release();
      pending = next;
    }
    if (pending === undefined) return;
    const data = await openData(pending);
    const before = served;
    served = pending;
    pending = undefined;
    // Running requests keep the old files until they end.
    void serving.replace(data).then(before.release);
    logSources(before, served);
    logChange(before, served);
  }

  function logChange(before: LoadedLogs, now: LoadedLogs): void {
    logNew(warningLines(now), [...warningLines(before), ...ignored]);
    logReadable(before, now);
    log.info({ records: recordsOf(now), before: recordsOf(before) }, 'data');
  }

  function logReadable(before: LoadedLogs, { unreadable = [], files }: LoadedLogs): void {
    for (const name of before.unreadable ?? []) {
      if (unreadable.includes(name)) continue;
      const isThere = files.some(({ file }) => file === name);
      log.info({ line: `${name}: ${isThere ? 'can be read again' : 'is gone'}` }, 'load');
    }
  }

  function logNew(lines: readonly string[], before: readonly string[]): void {
    const known = new Set(before);
    for (const line of lines) if (!known.has(line)) log.warn({ line }, 'load');
  }

  function logSources(before: LoadedLogs, now: LoadedLogs): void {
    const changes = compareByName(before.declared, now.declared, isSameSource);
    if (Object.values(changes).some((names) => names.length > 0)) log.info(changes, 'sources');
  }

  /** Logs files that were not ignored before: they do not make another version. */
  function logIgnored(lines: readonly string[]): void {
    logNew(lines, [...warningLines(served), ...ignored]);
    ignored = lines;
  }

  return { current: () => served, serve, logIgnored };
}

function recordsOf({ files }: LoadedLogs): number {
  return files.reduce((sum, { records }) => sum + records, 0);
}
