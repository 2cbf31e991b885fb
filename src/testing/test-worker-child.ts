import { rmSync } from 'node:fs';
import { sendError } from '../common/sent-error.js';
import type { DuckDbEngine } from '../engine/duckdb/duckdb.js';
import type { EngineData } from '../engine/duckdb/lockdown.js';
import { openSharedInstance } from '../engine/duckdb/shared-instance.js';
import { SetupError } from '../errors/errors.js';
import { createLoad } from '../logs/load/load.js';
import type { Task, WorkerLimits, WorkerReply, WorkerRequest } from './messages.js';

/**
 * The main function of a worker: loads logs and runs engines for the services of a test process until that process has
 * ended, however it ends; then removes their folder.
 * @throws SetupError if the process has no parent to talk to
 */
export async function runTestingChild(folder = ''): Promise<never> {
  if (process.send === undefined || folder === '') {
    throw new SetupError(['testing: an internal command that only the program itself starts']);
  }
  const end = () => {
    rmSync(folder, { recursive: true, force: true });
    process.kill(process.pid, 'SIGKILL');
  };
  process.once('disconnect', end);
  // The parent may have disconnected before the listener was added.
  if (!process.connected) end();
  // A Ctrl-C in the terminal reaches this process too; the test process decides what it means.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  let perform: Perform | undefined;
  const running = new Map<number, AbortController>();
  process.on('message', (request: WorkerRequest) => {
    if (request.kind === 'limits') perform = createPerform(request.limits, folder);
    if (request.kind === 'stop') running.get(request.id)?.abort();
    if (request.kind !== 'task' || perform === undefined) return;
    const { id, task } = request;
    const stop = new AbortController();
    running.set(id, stop);
    void perform(task, stop.signal)
      .then(
        (value) => reply({ id, value }),
        (error: unknown) => reply({ id, error: sendError(error) }),
      )
      .finally(() => running.delete(id));
  });
  return new Promise<never>(() => {});
}

type Perform = (task: Task, signal: AbortSignal) => Promise<unknown>;

function createPerform(limits: WorkerLimits, folder: string): Perform {
  const load = createLoad(limits.load);
  const engines = createEngines(limits, folder);
  return async (task, signal) => {
    if (task.kind === 'load') return load(task.options);
    if (task.kind === 'open') return void (await engines.open(task.engine, task.data));
    if (task.kind === 'close') return engines.close(task.engine);
    return (await engines.find(task.engine)).run(task.statement, { signal });
  };
}

function reply(message: WorkerReply): void {
  process.send?.(message);
}

function createEngines({ engine: limits }: WorkerLimits, folder: string) {
  const engines = new Map<number, Promise<DuckDbEngine>>();
  const instance = openSharedInstance(limits, folder);
  // A failure surfaces when it is used.
  instance.catch(() => {});
  return {
    open(number: number, data: EngineData): Promise<DuckDbEngine> {
      const opened = instance.then(({ open }) => open(data));
      engines.set(number, opened);
      return opened;
    },
    async find(number: number): Promise<DuckDbEngine> {
      const engine = engines.get(number);
      if (engine === undefined) throw new Error(`no engine ${number} is open`);
      return engine;
    },
    async close(number: number): Promise<void> {
      const opened = engines.get(number);
      engines.delete(number);
      await (await opened)?.close();
    },
  };
}
