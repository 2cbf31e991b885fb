import { ServiceError } from '../errors.js';
import type { EngineData } from './duckdb-engine.js';
import type { Engine, Result, RunOptions, Statement } from './engine.js';
import type { EngineProcessOptions } from './engine-messages.js';
import type { EngineProcess } from './engine-process.js';
import { createProcesses, type EngineProcesses } from './engine-processes.js';
import { createGuard, type Guard } from './guard.js';
import { createQueue, type Queue } from './queue.js';
import { closed } from './stopped.js';
import { withTimeLimit } from './time-limit.js';

export interface EnginePoolOptions extends Omit<EngineProcessOptions, keyof EngineData> {
  readonly maxConcurrentQueries: number;
  readonly maxQueuedQueries: number;
  /** How many callers there are; where there are more than one, none of them has every place. */
  readonly callers: number;
}

/** What a pool is doing. */
export interface EnginePoolState {
  readonly running: number;
  readonly waiting: number;
  /** How many more statements would run at once. */
  readonly spare: number;
  /** Engine processes that are open or opening. */
  readonly processes: number;
  /** Processes that ended in another way than for want of work. */
  readonly restarts: number;
}

/** Engines over one state of the logs after another, of which statements wait in one queue. */
export interface EnginePool {
  /**
   * An engine that runs each statement in a process that can be thrown away.
   * @throws SetupError where the first process cannot open the database
   */
  open(data: EngineData): Promise<Engine>;
  state(): EnginePoolState;
}

/**
 * A pool with at most `maxConcurrentQueries` processes at work, and for each engine a spare that
 * waits, opened before anybody asks.
 */
export function createEnginePool(options: EnginePoolOptions): EnginePool {
  const { maxConcurrentQueries: maxRunning, maxQueuedQueries: maxWaiting } = options;
  const maxRunningOfOne = options.callers > 1 ? Math.max(1, maxRunning - 1) : maxRunning;
  const queue = createQueue({ maxRunning, maxRunningOfOne, maxWaiting });
  const guard = createGuard(() => performance.now());
  const opened = new Set<EngineProcesses>();
  let past = 0;
  const forget = (processes: EngineProcesses) => {
    opened.delete(processes);
    past += processes.state().restarts;
  };
  return {
    async open(data) {
      const processes = createProcesses({ ...options, ...data }, maxRunning + 1);
      opened.add(processes);
      const engine = createEngine({ ...options, processes, queue, guard });
      const close = () => engine.close().finally(() => forget(processes));
      try {
        await processes.openSpare();
      } catch (error) {
        await close();
        throw error;
      }
      return { ...engine, close };
    },
    state() {
      const states = [...opened].map((processes) => processes.state());
      return {
        running: queue.running,
        waiting: queue.waiting,
        spare: maxRunning - queue.running,
        processes: states.reduce((sum, state) => sum + state.processes, 0),
        restarts: states.reduce((sum, state) => sum + state.restarts, past),
      };
    },
  };
}

interface EngineParts {
  readonly processes: EngineProcesses;
  readonly queue: Queue;
  readonly guard: Guard;
  readonly queryTimeoutMs: number;
}

function createEngine({ processes, queue, guard, queryTimeoutMs }: EngineParts): Engine {
  let isClosed = false;

  async function run(statement: Statement, { signal, caller = '' }: RunOptions): Promise<Result> {
    if (isClosed) throw closed();
    guard.admit(caller, statement);
    const asked = performance.now();
    const leave = await queue.enter({ signal, caller });
    const one = processes.take();
    try {
      await one.opened.catch(cannotStart);
      const queueMs = performance.now() - asked;
      const result = await withTimeLimit(signal, queryTimeoutMs, (limit) =>
        runIn(one, statement, limit),
      ).finally(() => guard.report(caller, statement, !one.isAlive()));
      return { ...result, timings: { ...result.timings, queueMs } };
    } catch (error) {
      throw isClosed ? closed() : error;
    } finally {
      processes.giveBack(one);
      leave();
    }
  }

  return {
    dialect: 'duckdb',
    run,
    close() {
      isClosed = true;
      return processes.end();
    },
  };
}

function cannotStart(cause: unknown): never {
  throw new ServiceError('backendBusy', 'No engine process can be started now', { cause });
}

/** Memory stays high in a process that has run out of it. */
async function runIn(
  one: EngineProcess,
  statement: Statement,
  signal: AbortSignal,
): Promise<Result> {
  try {
    return await one.run(statement, signal);
  } catch (error) {
    if (error instanceof ServiceError && error.faults[0].reason === 'resourcesExceeded') one.end();
    throw error;
  }
}
