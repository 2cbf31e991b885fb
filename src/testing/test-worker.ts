import { duckDbDialect } from '../engine/duckdb/dialect.js';
import type { EngineData } from '../engine/duckdb/states.js';
import type { Engine } from '../engine/engine.js';
import type { EngineProcessOptions } from '../engine/pool/engine-child.js';
import { createOpen } from '../engine/pool/engine-process.js';
import { withTimeLimit } from '../engine/time-limit.js';
import { SetupError } from '../errors/errors.js';
import type { LoadedSource, LoadOptions } from '../logs/load/job.js';
import { ProcessEnd, runAgainIfKilled } from '../process/process-end.js';
import { shutdownError } from '../process/stop-errors.js';
import { startProcess } from '../process/task.js';
import type { WorkerTasks } from './test-worker-child.js';

/** The limits of all engines. */
type WorkerLimits = Omit<EngineProcessOptions, keyof EngineData>;

/**
 * Starts a worker, which loads logs and runs engines concurrently in one child process, and is restarted if it has
 * ended. It removes `folder` when this process has ended, and keeps this process running only while it works.
 */
export function startWorker(folder: string, limits: WorkerLimits) {
  let worker = startOne(folder);
  const current = () => {
    if (!worker.tasks.isAlive()) worker = startOne(folder);
    return worker;
  };
  return {
    load: (options: LoadOptions): Promise<readonly LoadedSource[]> =>
      runAgainIfKilled(() => current().tasks.run('load', options)).catch(throwInWords),
    async open(data: EngineData): Promise<Engine> {
      const options = { ...limits, folder, ...onlyNeeded(data) };
      await runAgainIfKilled(() => current().data.open(options)).catch(throwInWords);
      return createEngine(current, options);
    },
  };
}

type Worker = ReturnType<typeof startOne>;

function startOne(folder: string) {
  const env = { TMPDIR: folder };
  const tasks = startProcess<WorkerTasks>({ verb: 'testing', args: [folder], env });
  return { tasks, data: createOpen(tasks) };
}

function throwInWords(error: unknown): never {
  if (!(error instanceof ProcessEnd)) throw error;
  throw new SetupError([`the process that loads and queries logs has ended: ${error.how}`]);
}

/** Removes the types of the columns, which take milliseconds to send. */
function onlyNeeded({ databaseFile, sources }: EngineData): EngineData {
  const stored = sources.map(({ name, parts, columns }) => ({
    name,
    ...(parts && { parts }),
    columns: columns.map((column) => ({ name: column.name })),
  }));
  return { databaseFile, sources: stored };
}

/** Creates an engine in the current worker; opens it again if the worker was replaced. */
function createEngine(current: () => Worker, options: EngineProcessOptions): Engine {
  let worker = current();
  let isClosed = false;
  return {
    dialect: duckDbDialect,
    async run(statement, { signal, onStart }) {
      if (isClosed) throw shutdownError();
      onStart?.();
      return withTimeLimit(signal, options.queryTimeoutMs, (limit) =>
        runAgainIfKilled(async () => {
          worker = current();
          const { tasks, data } = worker;
          await data.open(options);
          return tasks.run('run', { id: data.findId(options), statement }, { signal: limit });
        }).catch(throwInWords),
      );
    },
    async close() {
      isClosed = true;
      await worker.data.close(options);
    },
  };
}
