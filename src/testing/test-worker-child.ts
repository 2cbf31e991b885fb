import { rmSync } from 'node:fs';
import type { DuckDbEngine, DuckDbOptions } from '../engine/duckdb/duckdb.js';
import { openSharedInstance } from '../engine/duckdb/shared-instance.js';
import type { EngineData } from '../engine/duckdb/states.js';
import type { Statement } from '../engine/engine.js';
import type { LoadOptions } from '../logs/load/job.js';
import { createLoad } from '../logs/load/load.js';
import type { TaskContext } from '../process/messages.js';
import { performTasks } from '../process/task-child.js';

/** The limits of all engines. */
export type WorkerLimits = Omit<DuckDbOptions, keyof EngineData>;

/** The tasks of a worker, of which `start` is the first. */
export type WorkerTasks = ReturnType<typeof createTasks>;

/**
 * The main function of a worker: loads logs and runs engines for the services of a test process until that process has
 * ended, however it ends; then removes their folder.
 * @throws SetupError if the process has no parent to talk to
 */
export function runTestingChild(folder = ''): Promise<never> {
  const cleanUp = () => rmSync(folder, { recursive: true, force: true });
  return performTasks(createTasks(folder), { cleanUp, hasSamePriority: true });
}

function createTasks(folder: string) {
  let engines: ReturnType<typeof createEngines> | undefined;
  const started = () => {
    if (engines === undefined) throw new Error('the worker has no limits yet');
    return engines;
  };
  const load = createLoad();
  return {
    start(limits: WorkerLimits): void {
      engines = createEngines(limits, folder);
    },
    load: (options: LoadOptions) => load(options),
    async open({ engine, data }: NumberedData): Promise<void> {
      await started().open(engine, data);
    },
    async run({ engine, statement }: NumberedStatement, { signal }: TaskContext) {
      const opened = await started().find(engine);
      return opened.run(statement, { signal });
    },
    close: (engine: number) => started().close(engine),
  };
}

/** An engine is known by a number that its opener has chosen. */
interface NumberedData {
  readonly engine: number;
  readonly data: EngineData;
}

interface NumberedStatement {
  readonly engine: number;
  readonly statement: Statement;
}

function createEngines(limits: WorkerLimits, folder: string) {
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
