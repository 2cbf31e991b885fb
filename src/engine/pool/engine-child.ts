import { existsSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { digestBytes } from '../../process/digest.js';
import { withinOwnMemory } from '../../process/memory.js';
import type { TaskContext } from '../../process/messages.js';
import { performTasks } from '../../process/task-child.js';
import { type DuckDbOptions, type OwnDuckDbEngine, openDuckDbEngine } from '../duckdb/duckdb.js';
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
export type EngineTasks = ReturnType<typeof createEngineTasks>;

/** Data to open, under a number by which statements name them. */
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

/** Creates the tasks of a process that runs engines, each of them known by a number that its opener has chosen. */
export function createEngineTasks() {
  const engines = new Map<number, OwnDuckDbEngine>();
  let last: OwnDuckDbEngine | undefined;
  let maxBytes = 0;
  let opening: Promise<unknown> = Promise.resolve();
  const open = ({ id, options }: NumberedData) =>
    withinOwnMemory(maxBytes, async () => {
      await untilThere(options);
      const before = last;
      // Attaching in an instance of its own may work where copying does not.
      const next = await last?.openNext(options).catch(() => undefined);
      last = next ?? (await openDuckDbEngine(options));
      engines.set(id, last);
      if (![...engines.values()].some((one) => one === before)) await before?.close();
    });
  return {
    /** Opens data beside those that are open, one after the other: in the instance of the last ones, if little is new. */
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
      const engine = engines.get(id);
      if (engine === undefined) throw new Error('an engine process has not opened its database');
      return withinOwnMemory(maxBytes, async () => {
        const result = await engine.run(statement, { signal });
        return { ...result, digest: digestBytes(result.body) };
      });
    },
    /** Closes data; the last ones only after the next ones have opened, perhaps in their instance. */
    async close(id: number): Promise<void> {
      const engine = engines.get(id);
      engines.delete(id);
      if (engine !== last) await engine?.close();
    },
  };
}

/** How long to wait for database files, in milliseconds: the server writes those again that were removed. */
const maxWaitMs = 10_000;
const stepMs = 50;

/** Waits until all database files are there; one that does not come is the engine's failure. */
async function untilThere({ databaseFile, sources }: EngineProcessOptions): Promise<void> {
  const parts = sources.flatMap((source) => source.parts ?? []).map(({ file }) => file);
  const files = [databaseFile, ...parts].filter((file) => file !== '');
  for (let waited = 0; waited < maxWaitMs && !files.every((file) => existsSync(file)); ) {
    await sleep(stepMs);
    waited += stepMs;
  }
}
