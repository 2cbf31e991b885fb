import { availableParallelism } from 'node:os';
import { ServiceError, SetupError } from '../../errors/errors.js';
import { createQueue, type Queue } from '../../process/fair-queue.js';
import { isKill, killedAgain, runAgainIfKilled } from '../../process/process-end.js';
import { createProcesses, type Processes, type StartFailure } from '../../process/processes.js';
import { shutdownError, untilStopped } from '../../process/stop-errors.js';
import { duckDbDialect } from '../duckdb/dialect.js';
import type { EngineData } from '../duckdb/states.js';
import type { Engine, PoolState, Result, RunOptions, Statement } from '../engine.js';
import { withTimeLimit } from '../time-limit.js';
import { type CircuitBreaker, createCircuitBreaker } from './circuit-breaker.js';
import type { EngineProcessOptions } from './engine-child.js';
import { type EngineProcess, startEngineProcess } from './engine-process.js';

/** Limits of the pool and of each engine process. */
export interface EnginePoolOptions extends Omit<EngineProcessOptions, keyof OpenOptions> {
  readonly maxConcurrentQueries: number;
  readonly maxQueuedQueries: number;
  /** The number of callers; with more than one, none may use all processes at once. */
  readonly callers: number;
  /** Called when a process cannot be started while an engine is open. */
  readonly onStartFailure?: StartFailure;
}

/** The options of an engine; its pool has the others. */
export type OpenOptions = EngineData & Required<Pick<EngineProcessOptions, 'threads'>>;

/** Opens an engine for each state of the logs; their statements share one queue. */
export type EnginePool = ReturnType<typeof createEnginePool>;

/**
 * Creates a pool that runs at most `maxConcurrentQueries` statements at once, and keeps a spare process open. Its
 * engines share the processes: an idle process also opens the data of the next statement.
 */
export function createEnginePool(options: EnginePoolOptions) {
  const { maxConcurrentQueries: maxRunning, maxQueuedQueries: maxWaiting } = options;
  // Leave one core to other callers. More statements than cores would not increase the throughput.
  const maxShare = Math.min(maxRunning, availableParallelism()) - 1;
  const maxRunningPerCaller = options.callers > 1 ? Math.max(1, maxShare) : maxRunning;
  const queue = createQueue({ maxRunning, maxRunningPerCaller, maxWaiting });
  const breaker = createCircuitBreaker(() => performance.now());
  const shared = createSharedProcesses(options);
  return {
    /**
     * Opens an engine that runs each statement in a disposable process.
     * @throws SetupError if the first process cannot open the database
     */
    async open(own: OpenOptions): Promise<Engine> {
      const { onStartFailure: _, ...limits } = options;
      const data = { ...limits, ...own };
      const processes = await shared.open(data);
      return createEngine({
        ...{ ...options, data, processes, queue, breaker },
        close: () => shared.close(data),
      });
    },
    state(): PoolState {
      const { running, waiting } = queue;
      return { running, waiting, spare: maxRunning - running, ...shared.state() };
    },
  };
}

/** Creates processes that exist while an engine is open. */
function createSharedProcesses(options: EnginePoolOptions) {
  let processes: Processes<EngineProcess> | undefined;
  let latest: EngineProcessOptions | undefined;
  let users = 0;
  let endedRestarts = 0;

  const start = (first: EngineProcessOptions) =>
    createProcesses({
      max: options.maxConcurrentQueries + 1,
      start: () => startEngineProcess(latest ?? first),
      // Until an engine is open, failures are thrown instead.
      onStartFailure: (error) => users > 0 && options.onStartFailure?.(error),
    });

  async function end(): Promise<void> {
    const ended = processes;
    processes = undefined;
    latest = undefined;
    await ended?.end();
    endedRestarts += ended?.state().restarts ?? 0;
  }

  return {
    async open(data: EngineProcessOptions): Promise<Processes<EngineProcess>> {
      const before = latest;
      latest = data;
      const current = processes ?? start(data);
      processes = current;
      try {
        // An idle process may be killed while it opens the data.
        await runAgainIfKilled(async () => {
          const idle = current.leastUsed();
          await (idle === undefined ? current.openSpare() : idle.open(data));
        });
      } catch (error) {
        latest = before;
        // A spare process that was started meanwhile may have this data open.
        await Promise.all([...current.all].map((one) => one.close(data)));
        if (users === 0) await end();
        throw isKill(error) ? new SetupError(['an engine process was killed twice']) : error;
      }
      users += 1;
      return current;
    },
    async close(data: EngineProcessOptions): Promise<void> {
      users -= 1;
      if (users === 0) return end();
      await Promise.all([...(processes?.all ?? [])].map((one) => one.close(data)));
    },
    state() {
      const state = processes?.state() ?? { processes: 0, restarts: 0, canStart: true };
      return { ...state, restarts: endedRestarts + state.restarts };
    },
  };
}

interface EngineParts {
  readonly processes: Processes<EngineProcess>;
  readonly data: EngineProcessOptions;
  readonly close: () => Promise<void>;
  readonly queue: Queue;
  readonly breaker: CircuitBreaker;
  readonly queryTimeoutMs: number;
}

/** A statement's caller, and when it entered the queue and first began to run. */
interface Turn {
  readonly signal: AbortSignal;
  readonly caller: string;
  readonly enteredMs: number;
  startedMs?: number;
}

function createEngine(parts: EngineParts): Engine {
  const { processes, data, queue, breaker, queryTimeoutMs } = parts;
  let isClosed = false;

  async function run(
    statement: Statement,
    { signal, caller = '', onStart = () => {} }: RunOptions,
  ): Promise<Result> {
    if (isClosed) throw shutdownError();
    breaker.admit(caller, statement);
    const enteredMs = performance.now();
    const leave = await queue.enter({ signal, caller });
    onStart();
    try {
      const turn: Turn = { signal, caller, enteredMs };
      // An idle process may have just been killed, too; the second process is new.
      return await runAgainIfKilled((isAgain) => runOnce(statement, turn, isAgain));
    } catch (error) {
      throw isClosed ? shutdownError() : isKill(error) ? killedAgain(error) : error;
    } finally {
      leave();
    }
  }

  async function runOnce(statement: Statement, turn: Turn, mustBeNew: boolean): Promise<Result> {
    const one = processes.take(mustBeNew, (idle) => idle.hasOpen(data));
    try {
      await untilStopped(one.open(data).catch(cannotStart), turn.signal);
      const nowMs = performance.now();
      turn.startedMs ??= nowMs;
      const leftMs = turn.startedMs + queryTimeoutMs - nowMs;
      const result = await withTimeLimit(turn.signal, leftMs, (limit) =>
        one.run(data, statement, limit),
      ).finally(() => {
        const by = one.endedBy();
        if (by !== 'others') breaker.report(turn.caller, statement, by === 'statement');
      });
      return { ...result, timings: { ...result.timings, queueMs: nowMs - turn.enteredMs } };
    } finally {
      processes.giveBack(one);
    }
  }

  return {
    dialect: duckDbDialect,
    run,
    async close() {
      if (isClosed) return;
      isClosed = true;
      await parts.close();
    },
  };
}

function cannotStart(cause: unknown): never {
  if (isKill(cause)) throw cause;
  throw new ServiceError('backendBusy', 'No engine process can be started now', { cause });
}
