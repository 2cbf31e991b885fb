import { shutdownError } from '../common/stop-errors.js';
import type { EngineData } from '../engine/duckdb/states.js';
import type { Engine } from '../engine/engine.js';
import type { EngineProcessOptions } from '../engine/pool/engine-child.js';
import { withTimeLimit } from '../engine/time-limit.js';
import { SetupError } from '../errors/errors.js';
import type { LoadedSource, LoadOptions } from '../logs/load/job.js';
import { ProcessEnd, runAgainIfKilled } from '../process/process-end.js';
import { startProcess, type TaskProcess } from '../process/task.js';
import type { WorkerTasks } from './test-worker-child.js';

/** Loads logs and runs engines, many at a time, in one child process, which is started again if it has ended. */
export interface TestWorker {
  load(options: LoadOptions): Promise<readonly LoadedSource[]>;
  open(data: EngineData): Promise<Engine>;
}

type Worker = TaskProcess<WorkerTasks>;

/** The limits of all engines. */
type WorkerLimits = Omit<EngineProcessOptions, keyof EngineData>;

/** Starts a worker that removes `folder` when this process has ended. It keeps this process running only while it works. */
export function startWorker(folder: string, limits: WorkerLimits): TestWorker {
  let worker = startOne(folder);
  let engines = 0;
  const current = (): Worker => {
    if (!worker.isAlive()) worker = startOne(folder);
    return worker;
  };
  return {
    load: (options) => runAgainIfKilled(() => current().run('load', options)).catch(throwInWords),
    async open(data) {
      const engine = createEngine(current, engines++, { ...limits, folder, ...onlyNeeded(data) });
      await runAgainIfKilled(engine.open).catch(throwInWords);
      return engine;
    },
  };
}

function startOne(folder: string): Worker {
  const env = { TMPDIR: folder };
  return startProcess<WorkerTasks>({ verb: 'testing', args: [folder], env });
}

function throwInWords(error: unknown): never {
  if (!(error instanceof ProcessEnd)) throw error;
  throw new SetupError([`the process that loads and queries logs has ended: ${error.how}`]);
}

/** Without the types of the columns, which take milliseconds to send. */
function onlyNeeded({ databaseFile, sources }: EngineData): EngineData {
  const stored = sources.map(({ name, parts, columns }) => ({
    name,
    ...(parts && { parts }),
    columns: columns.map((column) => ({ name: column.name })),
  }));
  return { databaseFile, sources: stored };
}

/** An engine in the current worker; it is opened again if that is another one than before. */
function createEngine(current: () => Worker, id: number, options: EngineProcessOptions) {
  let opened: { readonly worker: Worker; readonly done: Promise<unknown> } | undefined;
  let isClosed = false;

  async function open(): Promise<Worker> {
    const worker = current();
    if (opened?.worker !== worker) {
      opened = { worker, done: worker.run('open', { id, options }) };
    }
    await opened.done;
    return worker;
  }

  const run: Engine['run'] = async (statement, { signal, onStart }) => {
    if (isClosed) throw shutdownError();
    onStart?.();
    return withTimeLimit(signal, options.queryTimeoutMs, (limit) =>
      runAgainIfKilled(async () => {
        const worker = await open();
        return worker.run('run', { id, statement }, { signal: limit });
      }).catch(throwInWords),
    );
  };

  return {
    dialect: 'duckdb' as const,
    open,
    run,
    async close() {
      isClosed = true;
      await opened?.worker.run('close', id).catch(() => {});
    },
  };
}
