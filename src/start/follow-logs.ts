import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { isSameSource } from '../logs/columns/declared-sources.js';
import { type Watching, watchFolder } from '../logs/refresh/watch.js';
import { countRecords } from '../logs/store/manifest.js';
import { shutdownError } from '../process/stop-errors.js';
import type { ServedData, Serving } from '../run/serving.js';
import { compareByName } from './compare-by-name.js';
import { createProblems, createWorkQueue, type Enqueue, shareWaiting } from './follow-work.js';
import { type Apply, type LoadedLogs, type Logs, warningLines } from './logs.js';

/** The options of a follower. */
export interface FollowerOptions {
  readonly logs: Logs;
  /** The version that is served at the start. */
  readonly first: LoadedLogs;
  readonly serving: Serving;
  readonly openData: (logs: LoadedLogs) => Promise<ServedData>;
  readonly log: Logger;
  /** Applies changes of other files after each load, even a failed one; rejects if they have errors. */
  readonly onLoaded?: (served: LoadedLogs) => Promise<void>;
}

/** Serves the newest version of the log files. */
export type Follower = ReturnType<typeof createFollower>;

/** The wait for more changes after the first one, in milliseconds: writers often write several times in a row. */
const firstMs = 20;

/** While files change, they are gathered for this long after each load, in milliseconds. */
const gatherMs = 200;

/** A change waits for this long at most while loads of other sources end one after another, in milliseconds. */
const maxWaitMs = 1_000;

/** The interval at which a change is assumed, in milliseconds, because some file systems do not report every change. */
const assumeMs = 10_000;

/** The maximum share of time to spend on checking files that do not change, however many there are. */
const restShare = 1 / 1_000;

/** The maximum time between checks of the folder, in milliseconds: some file systems report no changes. */
const maxPauseMs = 60_000;

const solved = 'data can be read again';

/** The interval between checks whether database files were removed, in milliseconds. */
const restoreMs = 1_000;

/** Creates a follower of logs whose first version is already being served. */
export function createFollower(options: FollowerOptions) {
  const { logs, log } = options;
  const { current, serve, logIgnored } = createSwitch(options);
  const loader = createLoader(options, serve);
  const closing = new AbortController();
  const watching = [startRestoring(options)];
  const problems = createProblems(log, solved);
  const enqueue = createWorkQueue((error) => {
    // Loads fail while the server stops, because their processes have been ended.
    if (!closing.signal.aborted) setTimeout(change, problems.report(error)).unref();
  });
  const merge = createMerge(options, enqueue, serve);
  const finish = createFinish(options, closing.signal, {
    current,
    onWorked: () => {
      logIgnored(logs.ignored());
      problems.clear();
      void merge();
    },
  });
  const loadSource = createSourceLoader(options, {
    onLoaded: (loaded) => enqueue(() => finish(() => applyAll(loaded, serve))),
    onEnd: (hasChanged) => {
      pause();
      if (hasChanged) change();
    },
  });
  const { change, pause, watch } = createTrigger(enqueue, watching, async () => {
    if (closing.signal.aborted) return;
    const changed = loader.findChanged();
    if (changed === undefined) return void (await finish(loader.refresh));
    const started = changed.filter(loadSource);
    // The last version may have failed to open; serve it with everything loaded now.
    if (started.length === 0) await finish(() => serve(undefined));
  });
  return {
    /** The served version. */
    current,
    watch,
    async close(): Promise<void> {
      closing.abort();
      await Promise.all(watching.map((one) => one.close()));
    },
    /**
     * Serves the current files; rejects if they cannot be loaded, or if the declarations of sources or other files
     * have errors.
     */
    refresh: shareWaiting(enqueue, () => finish(loader.refresh)),
    /** Serves the first version again; rejects if it cannot be opened. */
    restart: shareWaiting(enqueue, async () => serve(await logs.restart())),
    /** Checks every byte of the stored files, and reloads everything if they are damaged. */
    verify: () => enqueue(() => loader.verify().then(() => void merge())),
  };
}

/** Creates a function that merges, one merge at a time and concurrently with other work; only the result is queued. */
function createMerge({ logs, log }: FollowerOptions, enqueue: Enqueue, serve: Serve) {
  return oneAtATime(createProblems(log, 'parts can be merged again'), async () => {
    const apply = await logs.merge();
    // Not awaited: the caller may itself be an earlier step of the queue.
    void enqueue(() => applyAll([apply], serve));
  });
}

/**
 * Creates a function that runs work, then applies changes of other files, whether the work succeeded or not. It returns
 * the error of either; an error once the follower is closing. Calls `onWorked` unless the work rejects.
 */
function createFinish(
  { onLoaded }: FollowerOptions,
  closing: AbortSignal,
  { current, onWorked }: { readonly current: () => LoadedLogs; readonly onWorked: () => void },
) {
  return async (work: () => Promise<unknown>): Promise<unknown> => {
    if (closing.aborted) return shutdownError();
    let others: unknown;
    const fault = await work().finally(async () => {
      others = await onLoaded?.(current()).catch((error: unknown) => error);
    });
    onWorked();
    return fault ?? others;
  };
}

/** Runs an update soon after a change, or later if another update or a load just ended; changes until then share it. */
function createTrigger(enqueue: Enqueue, watching: Watching[], update: () => Promise<void>) {
  let [isDue, dueMs] = [false, 0];
  let [lastMs, tookMs] = [Number.NEGATIVE_INFINITY, 0];
  const waitMs = () => Math.min(lastMs + gatherMs, dueMs + maxWaitMs) - performance.now();
  const start = () => {
    const ms = waitMs();
    if (ms > 0) setTimeout(start, ms).unref();
    else void enqueue(run);
  };
  const run = async () => {
    // A load may have ended while this waited in the queue.
    if (waitMs() > 0) return start();
    isDue = false;
    const startMs = performance.now();
    await update();
    lastMs = performance.now();
    tookMs = lastMs - startMs;
  };
  const change = () => {
    if (isDue) return;
    [isDue, dueMs] = [true, performance.now()];
    setTimeout(start, firstMs).unref();
  };
  const pause = () => {
    lastMs = performance.now();
  };
  const assumeChange = () => {
    const pauseMs = Math.min(tookMs / restShare, maxPauseMs);
    if (performance.now() - lastMs > pauseMs) change();
  };
  /** Starts to follow changes to the files of some folders, and to single files. */
  const watch = (...paths: readonly string[]): void => {
    watching.push(...paths.map((path) => watchFolder(path, change)));
    watching.push(every(assumeMs, assumeChange));
    change();
  };
  return { change, pause, watch };
}

function every(ms: number, work: () => void): Watching {
  const timer = setInterval(work, ms).unref();
  return { close: async () => clearInterval(timer) };
}

type Serve = (next: LoadedLogs | undefined) => Promise<void>;

/** Applies everything that is ready, and serves the result once. */
async function applyAll(ready: Apply[], serve: Serve): Promise<void> {
  let newest: LoadedLogs | undefined;
  try {
    for (let apply = ready.shift(); apply !== undefined; apply = ready.shift()) {
      const next = await apply();
      if (next !== undefined) newest?.release();
      newest = next ?? newest;
    }
  } finally {
    // If an apply fails, serve those applied before it.
    if (newest !== undefined) await serve(newest);
  }
}

/** Loads new records; after damage, reloads everything until that succeeds. */
function createLoader({ logs, log }: FollowerOptions, serve: Serve) {
  const problems = createProblems(log, 'the declared sources have no errors', 'sources');
  let load = logs.refresh;

  /** Reads the declarations again. Returns their error, if any, which is logged once. */
  function readSources(): unknown {
    try {
      logs.readSources();
      problems.clear();
      return undefined;
    } catch (error) {
      problems.report(error);
      return error;
    }
  }

  /** Refreshes everything; returns the error of the declarations, if any. */
  async function refresh(): Promise<unknown> {
    const fault = readSources();
    await serve(await load());
    load = logs.refresh;
    return fault;
  }
  return {
    refresh,
    /** Returns the changed sources; undefined if everything must be refreshed together. */
    findChanged(): readonly string[] | undefined {
      readSources();
      return load === logs.refresh ? logs.changed() : undefined;
    },
    /** Reloads everything if the stored files are damaged. */
    async verify(): Promise<void> {
      if (await logs.verify()) return;
      log.error({ problem: 'the disk cache is damaged; everything is reloaded' }, 'data');
      load = logs.reload;
      await refresh();
    },
  };
}

/**
 * Loads sources concurrently; reloads a source only after it is served, or after a delay if its load failed. Returns
 * whether the load of a source began. Calls `onLoaded` with the loads that wait to be applied, and `onEnd` after each
 * load, with whether the source has changed again or must be retried; false if the load could not be applied, because
 * that is retried anyway.
 */
function createSourceLoader(
  { logs, log }: FollowerOptions,
  events: {
    readonly onLoaded: (loaded: Apply[]) => Promise<boolean>;
    readonly onEnd: (hasChanged: boolean) => void;
  },
): (name: string) => boolean {
  /** The sources being loaded, and those of them that have changed again. */
  const loading = new Set<string>();
  const changed = new Set<string>();
  const loaded: Apply[] = [];
  const problems = new Map<string, ReturnType<typeof createProblems>>();
  const namedProblems = (name: string) => {
    const known = problems.get(name) ?? createProblems(log, solved);
    problems.set(name, known);
    return known;
  };

  async function load(name: string): Promise<void> {
    try {
      loaded.push(await logs.refreshSource(name, () => changed.add(name)));
      namedProblems(name).clear();
    } catch (error) {
      changed.add(name);
      await sleep(namedProblems(name).report(error), undefined, { ref: false });
    }
  }

  async function loadAndServe(name: string): Promise<void> {
    await load(name);
    const isServed = loaded.length === 0 || (await events.onLoaded(loaded));
    loading.delete(name);
    events.onEnd(changed.delete(name) && isServed);
  }

  return (name) => {
    if (loading.has(name)) {
      changed.add(name);
      return false;
    }
    loading.add(name);
    void loadAndServe(name);
    return true;
  };
}

/** Restores removed database files; callers do not notice, because engines keep their files open. */
function startRestoring({ logs, log }: Pick<FollowerOptions, 'logs' | 'log'>): Watching {
  const problems = createProblems(log, 'the disk cache can be written again', 'cache');
  const restore = oneAtATime(problems, async () => {
    const isRestored = await logs.restore();
    if (isRestored) log.warn({ problem: 'its files were removed; they are there again' }, 'cache');
  });
  return every(restoreMs, restore);
}

/** Runs work unless it is already running or has just failed. */
function oneAtATime(problems: ReturnType<typeof createProblems>, work: () => Promise<void>) {
  let isRunning = false;
  let pausedUntil = 0;
  return async (): Promise<void> => {
    if (isRunning || performance.now() < pausedUntil) return;
    isRunning = true;
    try {
      await work();
      problems.clear();
    } catch (error) {
      pausedUntil = performance.now() + problems.report(error);
    } finally {
      isRunning = false;
    }
  };
}

/** Replaces the served version of the logs. */
function createSwitch({ first, serving, openData, log }: FollowerOptions) {
  let served = first;
  let pending: LoadedLogs | undefined;
  let ignored: readonly string[] = [];

  /** Serves the given version; without one, retries the version that failed to open. */
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
    logChange(before, served);
  }

  function logChange(before: LoadedLogs, now: LoadedLogs): void {
    const sources = compareByName(before.declared, now.declared, isSameSource);
    if (Object.values(sources).some((names) => names.length > 0)) log.info(sources, 'sources');
    logNew(warningLines(now), [...warningLines(before), ...ignored]);
    logReadable(before, now);
    log.info({ records: countRecords(now.files), before: countRecords(before.files) }, 'data');
  }

  function logReadable(before: LoadedLogs, { unreadable, files }: LoadedLogs): void {
    for (const name of before.unreadable) {
      if (unreadable.includes(name)) continue;
      const isThere = files.some(({ file }) => file === name);
      log.info({ line: `${name}: ${isThere ? 'can be read again' : 'is gone'}` }, 'load');
    }
  }

  function logNew(lines: readonly string[], before: readonly string[]): void {
    const known = new Set(before);
    for (const line of lines) if (!known.has(line)) log.warn({ line }, 'load');
  }

  /** Writes a log line for each newly ignored file: such files do not create a new version. */
  function logIgnored(lines: readonly string[]): void {
    logNew(lines, [...warningLines(served), ...ignored]);
    ignored = lines;
  }

  return { current: () => served, serve, logIgnored };
}
