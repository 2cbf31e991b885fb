import { tmpdir } from 'node:os';
import type { TaskContext } from '../../process/messages.js';
import { ProcessEnd, runAgainIfKilled } from '../../process/process-end.js';
import { startProcess } from '../../process/task.js';
import { performTasks } from '../../process/task-child.js';
import { loadFailure } from './failure.js';
import type { LoadedSource, LoadOptions } from './job.js';
import { removeDatabase, removeLeftovers } from './leftovers.js';
import type { LoadProgress, OnProgress } from './progress.js';

/**
 * Loads in a child process, so that a crash of the engine fails only the load and does not end the server. If another
 * program kills the child, the load runs once more. If this process exits first, the child ends too, and its files are
 * removed.
 * @throws SetupError like {@link load}, and if the child exits without an answer
 */
export async function loadSourcesInChild(
  options: LoadOptions,
  onProgress: OnProgress = () => {},
): Promise<readonly LoadedSource[]> {
  try {
    return await runAgainIfKilled(() => loadOnce(options, onProgress));
  } catch (error) {
    const isEnd = error instanceof ProcessEnd;
    throw loadFailure(isEnd ? `the loading process ${error.message}` : error, options.database);
  }
}

async function loadOnce(
  options: LoadOptions,
  onProgress: OnProgress,
): Promise<readonly LoadedSource[]> {
  const child = startProcess<LoadTasks>({ verb: 'load', env: { TMPDIR: tmpdir() } });
  const endAndRemove = () => {
    child.end();
    // Not awaited, because the event loop may have ended.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, killMs);
    removeFiles(options, child.pid);
  };
  // Before all other exit listeners: otherwise the child could recreate files that they have removed.
  process.prependListener('exit', endAndRemove);
  try {
    return await child.run('load', options, { onProgress });
  } catch (error) {
    endAndRemove();
    throw error;
  } finally {
    process.removeListener('exit', endAndRemove);
    child.end();
  }
}

/** How long a killed process may take to end, in milliseconds. */
const killMs = 20;

function removeFiles(options: LoadOptions, processId: number | undefined): void {
  removeLeftovers(options, processId);
  removeDatabase(options);
}

type LoadTasks = ReturnType<typeof createTasks>;

/**
 * The main function of a loading process.
 * @throws SetupError if the process has no parent to talk to
 */
export function runLoadChild(): Promise<never> {
  let current: LoadOptions | undefined;
  const tasks = createTasks((options) => {
    current = options;
  });
  const cleanUp = () => current && removeFiles(current, process.pid);
  return performTasks(tasks, { cleanUp, hasSamePriority: true });
}

function createTasks(onStart: (options: LoadOptions) => void) {
  return {
    async load(options: LoadOptions, { report }: TaskContext<LoadProgress>) {
      onStart(options);
      // Imported only here, because it loads the engine, which the parent must not.
      const { load } = await import('./load.js');
      return load(options, atIntervals(report));
    },
  };
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
