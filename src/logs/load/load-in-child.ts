import { type ChildProcess, fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import { builtPath } from '../../common/package-paths.js';
import { SetupError } from '../../errors/errors.js';
import { loadFailure } from './failure.js';
import type { LoadedSource, LoadOptions } from './job.js';
import { removeDatabase, removeLeftovers } from './leftovers.js';
import type { LoadProgress, OnProgress } from './progress.js';

/** A message of the child: any number of progress reports, then one answer. */
type Message = { readonly progress: LoadProgress } | Answer;
type Answer = { readonly loaded: readonly LoadedSource[] } | { readonly lines: readonly string[] };

const program = builtPath('child.js');

/**
 * Loads in a child process, the built program's `child.js`, so that a crash of the engine fails only the
 * load and does not end the server. The child gets an empty environment. If this process exits
 * first, the child ends too, and its files are removed.
 * @throws SetupError like {@link load}, and if the child exits without an answer
 */
export function loadSourcesInChild(
  options: LoadOptions,
  onProgress: OnProgress = () => undefined,
): Promise<readonly LoadedSource[]> {
  const child = fork(program, ['load'], {
    env: { TMPDIR: tmpdir() },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const end = () => endChild(child, options);
  // Before all other exit listeners: otherwise the child could recreate files that they have removed.
  process.prependListener('exit', end);
  const answer = new Promise<Answer>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if ('progress' in message) onProgress(message.progress);
      else resolve(message);
    });
    child.once('error', (error) => reject(new SetupError([`cannot load: ${error.message}`])));
    child.once('exit', (code, signal) => {
      const ending = signal === null ? `with exit code ${code}` : `by ${signal}`;
      reject(loadFailure(`the loading process ended ${ending}`, options.database));
    });
    child.send(options, (error) => {
      if (error !== null) child.kill('SIGKILL');
    });
  });
  return answer
    .then(loadedOf)
    .catch((error) => {
      end();
      throw error;
    })
    .finally(() => process.removeListener('exit', end));
}

function loadedOf(answer: Answer): readonly LoadedSource[] {
  if ('loaded' in answer) return answer.loaded;
  throw new SetupError(answer.lines);
}

const killMs = 20;

function endChild(child: ChildProcess, options: LoadOptions): void {
  child.kill('SIGKILL');
  // The event loop has ended, so we cannot wait for its exit event.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, killMs);
  removeLeftovers(options, child.pid);
  removeDatabase(options);
}

/**
 * Runs in the child: receives the options, loads, answers and exits. Also exits if the parent does.
 * @throws SetupError if the process is not such a child
 */
export async function runLoadChild(): Promise<void> {
  if (process.send === undefined)
    throw new SetupError(['load: an internal command that only the program itself starts']);
  // A terminal sends its signals to both processes; the parent decides.
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => undefined);
  const options = await new Promise<LoadOptions>((resolve, reject) => {
    process.once('disconnect', () => reject(new SetupError(['load: the program has ended'])));
    process.once('message', resolve);
  });
  process.once('disconnect', () => {
    removeLeftovers(options, process.pid);
    removeDatabase(options);
    process.kill(process.pid, 'SIGKILL');
  });
  const answer = await answerOf(options);
  await new Promise((resolve) => process.send?.(answer, resolve));
  process.removeAllListeners('disconnect');
  process.disconnect();
}

async function answerOf(options: LoadOptions): Promise<Answer> {
  // Imported only here, because it loads the engine, which the parent must not.
  const { load } = await import('./load.js');
  try {
    return { loaded: await load(options, atIntervals(reportToParent)) };
  } catch (error) {
    return { lines: loadFailure(error, options.database).lines };
  }
}

const reportEveryMs = 200;

function reportToParent(progress: LoadProgress): void {
  process.send?.({ progress });
}

function atIntervals(report: OnProgress): OnProgress {
  let last = 0;
  return (progress) => {
    if (performance.now() - last < reportEveryMs) return;
    last = performance.now();
    report(progress);
  };
}
