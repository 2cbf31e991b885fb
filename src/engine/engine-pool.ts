import { ServiceError } from '../errors.js';
import type { Engine, Result, RunOptions, Statement } from './engine.js';
import type { EngineProcessOptions } from './engine-messages.js';
import type { EngineProcess } from './engine-process.js';
import { createProcesses } from './engine-processes.js';
import { createGuard } from './guard.js';
import { createQueue } from './queue.js';
import { closed } from './stopped.js';
import { withTimeLimit } from './time-limit.js';

export interface EnginePoolOptions extends EngineProcessOptions {
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

/** An engine of several processes, which can tell what it is doing. */
export interface EnginePool extends Engine {
  state(): EnginePoolState;
}

/**
 * An engine that runs each statement in one of a number of processes, which can be thrown away: at
 * most `maxConcurrentQueries` at work and a spare that waits, opened before anybody asks.
 * @throws SetupError where the first process cannot open the database
 */
export async function openEnginePool(options: EnginePoolOptions): Promise<EnginePool> {
  const { maxConcurrentQueries: maxRunning, maxQueuedQueries: maxWaiting } = options;
  const maxRunningOfOne = options.callers > 1 ? Math.max(1, maxRunning - 1) : maxRunning;
  const queue = createQueue({ maxRunning, maxRunningOfOne, maxWaiting });
  const guard = createGuard(() => performance.now());
  const processes = createProcesses(options, maxRunning + 1);
  let isClosed = false;
  await processes.openSpare();

  async function run(statement: Statement, { signal, caller = '' }: RunOptions): Promise<Result> {
    if (isClosed) throw closed();
    guard.admit(caller, statement);
    const asked = performance.now();
    const leave = await queue.enter({ signal, caller });
    const one = processes.take();
    try {
      await one.opened.catch(cannotStart);
      const queueMs = performance.now() - asked;
      const result = await withTimeLimit(signal, options.queryTimeoutMs, (limit) =>
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
    state: () => ({
      running: queue.running,
      waiting: queue.waiting,
      spare: maxRunning - queue.running,
      ...processes.state(),
    }),
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
