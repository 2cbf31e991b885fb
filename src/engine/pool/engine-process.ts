import { digestText } from '../../common/digest.js';
import { ServiceError, SetupError, StatementFault } from '../../errors/errors.js';
import { residentBytes, watchMemory } from '../../process/memory.js';
import { isKill, ProcessEnd } from '../../process/process-end.js';
import type { WorkProcess } from '../../process/processes.js';
import { startProcess, type TaskProcess } from '../../process/task.js';
import type { Result, Statement } from '../engine.js';
import type { EngineProcessOptions, EngineTasks } from './engine-child.js';

/** One engine process, which runs one statement at a time, over one state of the logs at a time. */
export interface EngineProcess extends WorkProcess {
  /** Settles once it accepts statements. @throws SetupError if it cannot open; ProcessEnd if it was killed */
  readonly opened: Promise<void>;
  /**
   * Opens this data, unless it is open; statements run over it from then on. If that fails, the data before stay open.
   * @throws as {@link opened} does
   */
  open(options: EngineProcessOptions): Promise<void>;
  /** Whether statements over this data need not wait. */
  hasOpen(options: EngineProcessOptions): boolean;
  /**
   * Runs a statement. When the signal fires, the engine is interrupted; half a second later the process is killed.
   * @throws ServiceError as {@link Engine.run} does; ProcessEnd if the process was killed by another program
   */
  run(statement: Statement, signal: AbortSignal): Promise<Result>;
  /**
   * Who ended it while a statement ran: the statement, by a limit or in a crash, or other programs; undefined if it did not
   * end then.
   */
  endedBy(): 'statement' | 'others' | undefined;
}

/**
 * DuckDB is called on libuv's thread pool; with one thread, each call finds the caches of the last one warm. So nothing else
 * in the process may need the pool while a statement runs.
 */
const env = { UV_THREADPOOL_SIZE: '1' } as const;

/** The time limit for opening a process, in milliseconds; it usually takes 250. */
const maxOpenMs = 30_000;

/** The memory a process must have left to be used again, in bytes; a quarter of its limit, if that is less. */
const minFreeBytes = 200_000_000;

type Tasks = TaskProcess<EngineTasks>;

/** Starts a process and opens the database in it. */
export function startEngineProcess(options: EngineProcessOptions): EngineProcess {
  const tasks = startProcess<EngineTasks>({ verb: 'engine', env });
  const { pid, isAlive, ended } = tasks;
  const { maxResidentBytes } = options;
  let endedBy: 'statement' | 'others' | undefined;
  const { open, hasOpen } = createOpen(tasks);
  return {
    pid,
    opened: open(options),
    open,
    hasOpen,
    isAlive,
    endedBy: () => endedBy,
    end: () => tasks.end(),
    ended,
    async run(statement, signal) {
      const watch = watchMemory(pid, maxResidentBytes, () => tasks.end(outOfMemory()));
      try {
        return await tasks.run('run', statement, { signal });
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

/** Opens data, one after another. */
function createOpen(tasks: Tasks): Pick<EngineProcess, 'open' | 'hasOpen'> {
  let current: EngineProcessOptions | undefined;
  let isOpen = false;
  let opened: Promise<void> = Promise.resolve();
  const settle = (options: EngineProcessOptions, isDone: boolean) => {
    if (current !== options) return;
    isOpen = isDone;
    if (!isDone) current = undefined;
  };
  return {
    hasOpen: (options) => isOpen && current === options,
    open(options) {
      if (options === current) return opened;
      [current, isOpen] = [options, false];
      opened = opened.catch(() => {}).then(() => openOnce(tasks, options));
      opened.then(
        () => settle(options, true),
        () => settle(options, false),
      );
      return opened;
    },
  };
}

async function openOnce(tasks: Tasks, options: EngineProcessOptions): Promise<void> {
  const tooLate = () => new SetupError([`an engine process was not ready after ${maxOpenMs} ms`]);
  try {
    await tasks.run('open', options, { limit: { ms: maxOpenMs, error: tooLate } });
  } catch (error) {
    if (error instanceof SetupError || isKill(error)) throw error;
    const isEnd = error instanceof ProcessEnd;
    throw new SetupError([
      isEnd ? `an engine process ${error.message}` : `the engine cannot start: ${error}`,
    ]);
  }
}

/** Whether so little memory is left that the next statement might fail. */
function isFull(pid: number | undefined, maxResidentBytes: number): boolean {
  const free = maxResidentBytes - residentBytes(pid);
  return free < Math.min(minFreeBytes, maxResidentBytes / 4);
}

/** The error of a statement whose process has ended by itself, or was killed for lack of memory. */
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
