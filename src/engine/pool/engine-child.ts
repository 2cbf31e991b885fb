import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestBytes } from '../../process/digest.js';
import { withinOwnMemory } from '../../process/memory.js';
import type { TaskContext } from '../../process/messages.js';
import { performTasks } from '../../process/task-child.js';
import { type DuckDbOptions, type OwnDuckDbEngine, openDuckDbEngine } from '../duckdb/duckdb.js';
import { exceededMemory } from '../duckdb/engine-error.js';
import type { Result, Statement } from '../engine.js';

/**
 * The options of an engine process. It reads the macros itself: a message larger than the channel's buffer waits
 * until the server's event loop is free.
 */
export interface EngineProcessOptions extends Omit<DuckDbOptions, 'macros'> {
  /** Resident memory in bytes above which the process ends itself, or is killed. */
  readonly maxResidentBytes: number;
  /**
   * If set, a statement that DuckDB refuses for lack of memory runs again with this `memoryLimit`, unless the process has
   * grown by more than `maxGrowthBytes`.
   */
  readonly secondRun?:
    | { readonly memoryLimit: string; readonly maxGrowthBytes: number }
    | undefined;
}

interface OpenEngine {
  readonly engine: OwnDuckDbEngine;
  readonly options: EngineProcessOptions;
}

/** The tasks of an engine process. */
export type EngineTasks = ReturnType<typeof createEngineTasks>;

/** Data to open, with a number that identifies it in statements. */
export interface NumberedData {
  readonly id: number;
  readonly options: EngineProcessOptions;
}

/**
 * The main function of an engine process: opens databases and runs one statement after another until its parent
 * ends it. DuckDB can exceed its memory limit or ignore an interrupt; then only this process is lost.
 * @throws SetupError if the process has no parent to talk to
 */
export function runEngineChild(): Promise<never> {
  return performTasks(createEngineTasks());
}

/** Creates the tasks of a process that runs engines, each identified by a number chosen by its opener. */
export function createEngineTasks() {
  const engines = new Map<number, OpenEngine>();
  let last: OwnDuckDbEngine | undefined;
  let maxBytes = 0;
  let opening: Promise<unknown> = Promise.resolve();
  const open = ({ id, options }: NumberedData) =>
    withinOwnMemory(maxBytes, async () => {
      await untilThere(options);
      const before = last;
      // If copying fails, attaching in a new instance may still work.
      const next = await last?.openNext(options).catch(() => undefined);
      last = next ?? (await openDuckDbEngine(options));
      engines.set(id, { engine: last, options });
      if (![...engines.values()].some(({ engine }) => engine === before)) await before?.close();
    });
  return {
    /** Opens more data, after all earlier calls: in the last engine's instance if little is new. */
    open(data: NumberedData): Promise<void> {
      maxBytes = data.options.maxResidentBytes;
      const opened = opening.then(() => open(data));
      opening = opened.catch(() => {});
      return opened;
    },
    run(
      { id, statement }: { readonly id: number; readonly statement: Statement },
      { signal }: TaskContext,
    ): Promise<Result> {
      const opened = engines.get(id);
      if (opened === undefined) throw new Error('an engine process has not opened its database');
      return withinOwnMemory(maxBytes, async (peakGrowth) => {
        const result = await opened.engine.run(statement, { signal }).catch(async (error) => {
          const { secondRun } = opened.options;
          const mayFit = secondRun !== undefined && peakGrowth() <= secondRun.maxGrowthBytes;
          if (!mayFit || !exceededMemory(error)) throw error;
          const options = { ...opened.options, memoryLimit: secondRun.memoryLimit, newest: [] };
          const own = await openDuckDbEngine(options).catch(() => Promise.reject(error));
          return own.run(statement, { signal }).finally(() => own.close());
        });
        return { ...result, digest: digestBytes(result.body) };
      });
    },
    /** Closes data. If it was opened last, it stays open until other data is opened, which may use its instance. */
    async close(id: number): Promise<void> {
      const engine = engines.get(id)?.engine;
      engines.delete(id);
      if (engine !== last) await engine?.close();
    },
  };
}

/** The maximum wait for database files, in milliseconds: the server restores removed ones. */
const maxWaitMs = 10_000;
const stepMs = 50;

/** Waits until all database files exist; the engine reports a missing one. */
async function untilThere({ databaseFile, sources }: EngineProcessOptions): Promise<void> {
  const parts = sources.flatMap((source) => source.parts ?? []).map(({ file }) => file);
  const files = [databaseFile, ...parts].filter((file) => file !== '');
  for (let waited = 0; waited < maxWaitMs && !files.every((file) => existsSync(file)); ) {
    await sleep(stepMs);
    waited += stepMs;
  }
}
