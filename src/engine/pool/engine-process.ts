import { ServiceError, SetupError, StatementFault } from '../../errors/errors.js';
import { digestText } from '../../process/digest.js';
import { residentBytes, watchMemory } from '../../process/memory.js';
import { isKill, ProcessEnd } from '../../process/process-end.js';
import type { WorkProcess } from '../../process/processes.js';
import { startProcess, type TaskProcess } from '../../process/task.js';
import type { Result, Statement } from '../engine.js';
import type { EngineProcessOptions, EngineTasks, NumberedData } from './engine-child.js';

/** One engine process, which runs one statement at a time, over any state of the logs that it has open. */
export interface EngineProcess extends WorkProcess, Omit<Open, 'findId'> {
  /**
   * Runs a statement over open data. When the signal fires, the engine is interrupted; half a second later the
   * process is killed.
   * @throws ServiceError as {@link Engine.run} does; ProcessEnd if the process was killed by another program
   */
  run(options: EngineProcessOptions, statement: Statement, signal: AbortSignal): Promise<Result>;
  /**
   * The cause, if the process ended during a statement: the statement itself, which exceeded a limit or crashed the
   * engine, or other programs. Undefined if the process did not end during a statement.
   */
  endedBy(): 'statement' | 'others' | undefined;
}

/**
 * DuckDB is called on libuv's thread pool; with one thread, each call finds the caches of the last one warm. Nothing
 * else in the process may need the pool while a statement runs.
 */
const env = { UV_THREADPOOL_SIZE: '1' } as const;

/** The time limit for opening a process, in milliseconds; it usually takes 250. */
const maxOpenMs = 30_000;

/** The minimum memory left to reuse a process, in bytes; at most a quarter of its limit. */
const minFreeBytes = 200_000_000;

type Tasks = TaskProcess<EngineTasks>;

/** Starts a process and opens this data in it. */
export function startEngineProcess(options: EngineProcessOptions): EngineProcess {
  const tasks = startProcess<EngineTasks>({ verb: 'engine', env });
  const { pid, isAlive, ended } = tasks;
  const { maxResidentBytes } = options;
  let endedBy: 'statement' | 'others' | undefined;
  const { open, hasOpen, close, findId } = createOpen(tasks);
  return {
    pid,
    opened: open(options),
    open,
    hasOpen,
    close,
    isAlive,
    endedBy: () => endedBy,
    end: () => tasks.end(),
    ended,
    async run(data, statement, signal) {
      const watch = watchMemory(pid, maxResidentBytes, () => tasks.end(outOfMemory()));
      try {
        return await tasks.run('run', { id: findId(data), statement }, { signal });
      } catch (error) {
        const isOthers = isKill(error) && !watch.wasNearLimit();
        if (!isAlive()) endedBy = isOthers ? 'others' : 'statement';
        throw describeFailure(statement, error, isOthers);
      } finally {
        watch.end();
        if (isFull(pid, maxResidentBytes)) tasks.end();
      }
    },
  };
}

type Open = ReturnType<typeof createOpen>;

/** Creates the functions that open and close data, each under its own number. */
export function createOpen(tasks: Tasks) {
  const all = new Map<
    EngineProcessOptions,
    { readonly id: number; readonly opened: Promise<void> }
  >();
  let count = 0;
  return {
    /** Whether the process has this data open, or is opening it. */
    hasOpen: (options: EngineProcessOptions) => all.has(options),
    findId: (options: EngineProcessOptions) => all.get(options)?.id ?? -1,
    /**
     * Opens this data in addition to other data, unless it is open. @throws SetupError if it cannot; ProcessEnd if
     * the process was killed
     */
    open(options: EngineProcessOptions): Promise<void> {
      const known = all.get(options);
      if (known !== undefined) return known.opened;
      const id = count++;
      const opened = openOnce(tasks, { id, options });
      opened.catch(() => all.delete(options));
      all.set(options, { id, opened });
      return opened;
    },
    /** Closes this data if it is open. */
    async close(options: EngineProcessOptions): Promise<void> {
      const data = all.get(options);
      all.delete(options);
      // The process may have ended.
      await data?.opened.then(() => tasks.run('close', data.id)).catch(() => {});
    },
  };
}

async function openOnce(tasks: Tasks, data: NumberedData): Promise<void> {
  const tooLate = () => new SetupError([`an engine process was not ready after ${maxOpenMs} ms`]);
  try {
    await tasks.run('open', data, { limit: { ms: maxOpenMs, error: tooLate } });
  } catch (error) {
    if (error instanceof SetupError || isKill(error)) throw error;
    const isEnd = error instanceof ProcessEnd;
    throw new SetupError([
      isEnd ? `an engine process ${error.message}` : `the engine cannot start: ${error}`,
    ]);
  }
}

/** Whether too little memory is left for the next statement. */
function isFull(pid: number | undefined, maxResidentBytes: number): boolean {
  const free = maxResidentBytes - residentBytes(pid);
  return free < Math.min(minFreeBytes, maxResidentBytes / 4);
}

/** Returns the error of a statement whose process crashed, or was killed for lack of memory. */
function describeFailure({ sql }: Statement, error: unknown, isOthers: boolean): unknown {
  if (!(error instanceof ProcessEnd) || isOthers) return error;
  if (error.kind === 'out of memory' || isKill(error)) return outOfMemory();
  const kind = error.message;
  const digest = digestText(sql).slice(0, 16);
  return new StatementFault('an engine process crashed', { kind, digest, cause: undefined });
}

function outOfMemory(): ServiceError {
  return new ServiceError(
    'resourcesExceeded',
    'The query needs more memory than its limit (--memory-limit)',
  );
}
