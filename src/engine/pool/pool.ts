import { createQueue, type Queue } from '../../common/fair-queue.js';
import { closed, stopped } from '../../common/stopped.js';
import { ServiceError } from '../../errors/errors.js';
import type { EngineData } from '../duckdb/lockdown.js';
import type { Engine, Result, RunOptions, Statement } from '../engine.js';
import { withTimeLimit } from '../time-limit.js';
import { createCircuitBreaker, type Guard } from './circuit-breaker.js';
import type { EngineProcessOptions } from './engine-messages.js';
import {
  type EngineProcess,
  prepareEngineProcess,
  type StartEngine,
  startEngineProcess,
} from './engine-process.js';
import { createProcesses, type EngineProcesses, type StartFailure } from './engine-processes.js';

export interface EnginePoolOptions extends Omit<EngineProcessOptions, keyof EngineData> {
  readonly maxConcurrentQueries: number;
  readonly maxQueuedQueries: number;
  /** How many callers there are; where there are more than one, none of them has every place. */
  readonly callers: number;
  /** Hears why an engine process could not be started while the pool is open. */
  readonly onStartFailure?: StartFailure;
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
  /** Whether the process that was tried last, of each engine, has opened. */
  readonly canStart: boolean;
}

/** Engines over one state of the logs after another, of which statements wait in one queue. */
export interface EnginePool {
  /** Starts a process ahead of the data that is opened first. */
  prepare(): void;
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
  const guard = createCircuitBreaker(() => performance.now());
  const opened = new Set<EngineProcesses>();
  const { prepare, start } = createStart(options);
  let past = 0;
  const forget = (processes: EngineProcesses) => {
    opened.delete(processes);
    past += processes.state().restarts;
  };
  return {
    prepare,
    async open(data) {
      const { onStartFailure, ...own } = { ...options, ...data };
      const processes = createProcesses({
        most: maxRunning + 1,
        start: () => start(own),
        // The first failure is thrown.
        onStartFailure: (error) => opened.has(processes) && onStartFailure?.(error),
      });
      await processes.openSpare().catch((error: unknown) => endAndThrow(processes, error));
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
        canStart: states.every(({ canStart }) => canStart),
      };
    },
  };
}

/** The first process that is started may have been prepared. */
function createStart(options: EnginePoolOptions) {
  let first: StartEngine | undefined;
  return {
    prepare(): void {
      first ??= prepareEngineProcess(options);
    },
    start(own: EngineProcessOptions): EngineProcess {
      const startOne = first ?? startEngineProcess;
      first = undefined;
      return startOne(own);
    },
  };
}

async function endAndThrow(processes: EngineProcesses, error: unknown): Promise<never> {
  await processes.end();
  throw error;
}

interface EngineParts {
  readonly processes: EngineProcesses;
  readonly queue: Queue;
  readonly guard: Guard;
  readonly queryTimeoutMs: number;
}

/** For whom a statement runs, and since when it waits. */
interface Turn {
  readonly signal: AbortSignal;
  readonly caller: string;
  readonly asked: number;
}

function createEngine({ processes, queue, guard, queryTimeoutMs }: EngineParts): Engine {
  let isClosed = false;

  async function run(
    statement: Statement,
    { signal, caller = '', onStart = () => {} }: RunOptions,
  ): Promise<Result> {
    if (isClosed) throw closed();
    guard.admit(caller, statement);
    const asked = performance.now();
    const leave = await queue.enter({ signal, caller });
    onStart();
    try {
      return await runInTurn(statement, { signal, caller, asked });
    } catch (error) {
      throw isClosed ? closed() : error;
    } finally {
      leave();
    }
  }

  async function runInTurn(statement: Statement, { signal, caller, asked }: Turn): Promise<Result> {
    if (isClosed) throw closed();
    const one = processes.take();
    try {
      await untilOpen(one, signal);
      const queueMs = performance.now() - asked;
      const result = await withTimeLimit(signal, queryTimeoutMs, (limit) =>
        one.run(statement, limit),
      ).finally(() => guard.report(caller, statement, one.wasKilled()));
      return { ...result, timings: { ...result.timings, queueMs } };
    } finally {
      processes.giveBack(one);
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

/** Who goes away meanwhile leaves the process to the next. @throws ServiceError `timeout`, `backendBusy` */
async function untilOpen({ opened }: EngineProcess, signal: AbortSignal): Promise<void> {
  let leave = () => {};
  const left = new Promise<never>((_resolve, reject) => {
    leave = () => reject(stopped(signal));
  });
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  await Promise.race([opened.catch(cannotStart), left]).finally(() =>
    signal.removeEventListener('abort', leave),
  );
}

function cannotStart(cause: unknown): never {
  throw new ServiceError('backendBusy', 'No engine process can be started now', { cause });
}
