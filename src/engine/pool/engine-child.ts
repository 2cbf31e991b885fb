import { digestBytes } from '../../common/digest.js';
import { limitOwnMemory } from '../../process/memory.js';
import type { TaskContext } from '../../process/messages.js';
import { performTasks } from '../../process/task-child.js';
import { type DuckDbEngine, type DuckDbOptions, openDuckDbEngine } from '../duckdb/duckdb.js';
import type { Result, Statement } from '../engine.js';

/**
 * The options of an engine process. It reads the macros itself: a message larger than the buffer of the channel waits until
 * the event loop of the server is free.
 */
export interface EngineProcessOptions extends Omit<DuckDbOptions, 'macros'> {
  /** Resident memory in bytes above which the process ends itself, or is killed. */
  readonly maxResidentBytes: number;
}

/** The tasks of an engine process. */
export type EngineTasks = ReturnType<typeof createTasks>;

/**
 * The main function of an engine process: opens a database and runs one statement after another until its parent
 * ends it. DuckDB can exceed its memory limit or ignore an interrupt; then only this process is lost.
 * @throws SetupError if the process has no parent to talk to
 */
export function runEngineChild(): Promise<never> {
  return performTasks(createTasks());
}

function createTasks() {
  let engine: DuckDbEngine | undefined;
  return {
    /** Opens other data, once or again: opening it takes a fifth of what starting a process does. */
    async open(options: EngineProcessOptions): Promise<void> {
      if (engine === undefined) limitOwnMemory(options.maxResidentBytes);
      const before = engine;
      engine = await openDuckDbEngine(options);
      await before?.close();
    },
    async run(statement: Statement, { signal }: TaskContext): Promise<Result> {
      if (engine === undefined) throw new Error('an engine process has not opened its database');
      const result = await engine.run(statement, { signal });
      return { ...result, digest: digestBytes(result.body) };
    },
  };
}
