import { tmpdir } from 'node:os';
import { lowerPriority } from '../../process/lower-priority.js';
import type { TaskContext } from '../../process/messages.js';
import { ProcessEnd, runAgainIfKilled } from '../../process/process-end.js';
import { startProcess, type TaskProcess } from '../../process/task.js';
import { performTasks } from '../../process/task-child.js';
import { loadFailure } from './failure.js';
import type { LoadedSource, LoadOptions } from './job.js';
import { createLanes, type Duration } from './lanes.js';
import { removeDatabase } from './leftovers.js';
import type { LoadProgress, OnProgress } from './progress.js';
import { estimateBytes } from './write-sorted.js';

/** Loads in a separate process. @throws SetupError like {@link load}, and if the process ends without an answer */
export type LoadApart = (
  options: LoadOptions,
  onProgress?: OnProgress,
) => Promise<readonly LoadedSource[]>;

/**
 * Loads in child processes, so that a crash of the engine fails only one load and does not end the server. If another
 * program kills the child, the load runs once more. If this process exits first, its children end too, and their files
 * are removed. A child stays for `keepMs` after its last load: starting it takes ten times as long as loading a line.
 * Only the first load has this process's priority; the others have that of queries.
 */
export function createLoadApart(keepMs: number): LoadApart {
  const start = () => startProcess<LoadTasks>({ verb: 'load', env: { TMPDIR: tmpdir() } });
  const lanes = createLanes(start, keepMs);
  let isLater = false;
  return async (given, onProgress = () => {}) => {
    const options = { ...given, isLater };
    const duration = expectedDuration(given);
    isLater = true;
    try {
      return await runAgainIfKilled((isAgain) =>
        lanes.use((child) => loadIn(child, options, onProgress), { duration, mustBeNew: isAgain }),
      );
    } catch (error) {
      const isEnd = error instanceof ProcessEnd;
      throw loadFailure(isEnd ? `the loading process ${error.message}` : error, options.database);
    }
  };
}

/**
 * Fewer bytes of lines than this usually load in less than a second. The whole of a source has more kinds of lines than
 * what is appended to it, and takes longer for as many bytes.
 */
const shortBytes = { appended: 1_000_000, whole: 100_000 };

/** A merge delays no request, so it counts as long whatever its size. */
function expectedDuration({ sources }: LoadOptions): Duration {
  const isShort = sources.every(({ base, parts, files }) => {
    const maxBytes = base === undefined ? shortBytes.whole : shortBytes.appended;
    return parts.length === 0 && estimateBytes(files) < maxBytes;
  });
  return isShort ? 'short' : 'long';
}

type Child = TaskProcess<LoadTasks>;

async function loadIn(
  child: Child,
  options: LoadOptions,
  onProgress: OnProgress,
): Promise<readonly LoadedSource[]> {
  const endAndRemove = () => {
    child.end();
    // Not awaited, because the event loop may have ended.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, killMs);
    removeDatabase(options);
  };
  atExit(endAndRemove);
  try {
    return await child.run('load', options, { onProgress });
  } catch (error) {
    endAndRemove();
    throw error;
  } finally {
    exits.delete(endAndRemove);
  }
}

const exits = new Set<() => void>();

/** Before all other exit listeners: otherwise a child could recreate files that they have removed. */
function atExit(end: () => void): void {
  if (exits.size === 0) {
    process.removeListener('exit', runExits);
    process.prependListener('exit', runExits);
  }
  exits.add(end);
}

function runExits(): void {
  for (const end of exits) end();
}

/** The maximum wait for the end of a killed process, in milliseconds. */
const killMs = 20;

type LoadTasks = ReturnType<typeof createTasks>['tasks'];

/**
 * The main function of a loading process, which has its parent's priority until its second load.
 * @throws SetupError if the process has no parent to talk to
 */
export function runLoadChild(): Promise<never> {
  const { tasks, cleanUp } = createTasks();
  return performTasks(tasks, { cleanUp, hasSamePriority: true });
}

function createTasks() {
  let loadNext: LoadApart | undefined;
  let current: LoadOptions | undefined;
  const tasks = {
    async load(options: LoadOptions, { report }: TaskContext<LoadProgress>) {
      current = options;
      try {
        // Imported only here, because it loads the engine, which the parent must not do.
        const { createLoad, load } = await import('./load.js');
        // Many processes load only once, and that load is often large: an engine that stays open cannot spill to disk.
        if (options.isLater && loadNext === undefined) {
          lowerPriority();
          loadNext = createLoad();
        }
        return await (loadNext ?? load)(options, atIntervals(report));
      } finally {
        current = undefined;
      }
    },
  };
  // A finished load's files are in use, and a failed load has removed its own.
  return { tasks, cleanUp: () => current && removeDatabase(current) };
}

const reportEveryMs = 200;

function atIntervals(report: OnProgress): OnProgress {
  let last = 0;
  return (progress) => {
    if (performance.now() - last < reportEveryMs) return;
    last = performance.now();
    report(progress);
  };
}
