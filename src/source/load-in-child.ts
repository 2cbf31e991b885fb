import { fork } from 'node:child_process';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { SetupError } from '../errors.js';
import { type LoadOptions, type LoadReport, load, removeLeftovers } from './load.js';

/** What the child says once before it ends. */
type Answer = { readonly report: LoadReport } | { readonly lines: readonly string[] };

const program = fileURLToPath(new URL('../../dist/main.js', import.meta.url));

/**
 * Loads in a process of its own, the built program's hidden verb `load`: what crashes the engine
 * then is a load that failed and not the end of the server. The child sees none of the environment.
 * @throws SetupError as {@link load} does, and when the child ends without an answer
 */
export function loadSourcesInChild(options: LoadOptions): Promise<LoadReport> {
  const child = fork(program, ['load'], {
    env: { TMPDIR: tmpdir() },
    execArgv: [],
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  return new Promise((resolve, reject) => {
    child.once('message', (answer: Answer) => {
      if ('report' in answer) resolve(answer.report);
      else reject(new SetupError(answer.lines));
    });
    child.once('error', (error) => reject(new SetupError([`cannot load: ${error.message}`])));
    child.once('exit', (code, signal) => {
      removeLeftovers(options, child.pid);
      const how = signal === null ? `with exit code ${code}` : `by ${signal}`;
      reject(new SetupError([`the log files cannot be loaded: the loading process ended ${how}`]));
    });
    child.send(options, (error) => {
      if (error !== null) child.kill('SIGKILL');
    });
  });
}

/**
 * The child's side: takes its options, loads, answers and ends. It ends with its parent, too.
 * @throws SetupError when the process is not such a child
 */
export async function runLoadChild(): Promise<void> {
  if (process.send === undefined) throw new SetupError(['load: only the program itself runs this']);
  process.once('disconnect', () => process.kill(process.pid, 'SIGKILL'));
  const options = await new Promise<LoadOptions>((resolve) => process.once('message', resolve));
  const answer = await answerOf(options);
  await new Promise((resolve) => process.send?.(answer, resolve));
  process.removeAllListeners('disconnect');
  process.disconnect();
}

async function answerOf(options: LoadOptions): Promise<Answer> {
  try {
    return { report: await load(options) };
  } catch (error) {
    if (error instanceof SetupError) return { lines: error.lines };
    return { lines: [`the log files cannot be loaded: ${String(error)}`] };
  }
}
