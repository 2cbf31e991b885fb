import { type ChildProcess, fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import { builtPath } from '../../common/package-paths.js';
import { SetupError } from '../../errors/errors.js';
import { loadFailure } from './failure.js';
import type { LoadedSource, LoadOptions } from './job.js';
import { removeDatabase, removeLeftovers } from './leftovers.js';
import type { LoadProgress, OnProgress } from './progress.js';

/** What the child says: how far it is, and once before it ends what came of it. */
type Message = { readonly progress: LoadProgress } | Answer;
type Answer = { readonly loaded: readonly LoadedSource[] } | { readonly lines: readonly string[] };

const program = builtPath('child.js');

/**
 * Loads in a process of its own, the built program's `child.js`: what crashes the engine
 * then is a load that failed and not the end of the server. The child sees none of the environment.
 * Where this process ends before it, so does the child, and nothing of it is left.
 * @throws SetupError as {@link load} does, and when the child ends without an answer
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
  // Before others do: what they remove, the child would write again.
  process.prependListener('exit', end);
  const answer = new Promise<Answer>((resolve, reject) => {
    child.on('message', (message: Message) => {
      if ('progress' in message) onProgress(message.progress);
      else resolve(message);
    });
    child.once('error', (error) => reject(new SetupError([`cannot load: ${error.message}`])));
    child.once('exit', (code, signal) => {
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
      reject(loadFailure(`the loading process ended ${how}`, options.database));
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
  // Without the event loop, which has ended, there is no word of its death.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, killMs);
  removeLeftovers(options, child.pid);
  removeDatabase(options);
}

/**
 * The child's side: takes its options, loads, answers and ends. It ends with its parent, too.
 * @throws SetupError when the process is not such a child
 */
export async function runLoadChild(): Promise<void> {
  if (process.send === undefined) throw new SetupError(['load: only the program itself runs this']);
  // Of a terminal's both hear; the parent decides.
  process.on('SIGINT', () => undefined);
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
  // Here alone, since it brings the engine with it, and the parent starts without one.
  const { load } = await import('./load.js');
  try {
    return { loaded: await load(options, everyNowAndThen(tellParent)) };
  } catch (error) {
    return { lines: loadFailure(error, options.database).lines };
  }
}

const tellEveryMs = 200;

function tellParent(progress: LoadProgress): void {
  process.send?.({ progress });
}

function everyNowAndThen(tell: OnProgress): OnProgress {
  let last = 0;
  return (progress) => {
    if (performance.now() - last < tellEveryMs) return;
    last = performance.now();
    tell(progress);
  };
}
