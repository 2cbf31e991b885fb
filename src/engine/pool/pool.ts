import { availableParallelism } from 'node:os';
import { createQueue, type Queue } from '../../common/fair-queue.js';
import { shutdownError, stoppedError } from '../../common/stop-errors.js';
import { ServiceError, SetupError } from '../../errors/errors.js';
import { isKill, killedAgain, runAgainIfKilled } from '../../process/process-end.js';
import { createProcesses, type Processes, type StartFailure } from '../../process/processes.js';
import type { EngineData } from '../duckdb/lockdown.js';
import type { Engine, Result, RunOptions, Statement } from '../engine.js';
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

/** What an engine is opened with; the other options are those of its pool. */
export type OpenOptions = EngineData &
  Required<Pick<EngineProcessOptions, 'threads'>> &
  Pick<EngineProcessOptions, 'newest'>;

/** The current load of a pool. */
export interface EnginePoolState {
  readonly running: number;
  readonly waiting: number;
  /** How many more statements could run at once. */
  readonly spare: number;
  /** Engine processes, open or opening. */
  readonly processes: number;
  /** How many processes were killed or crashed since the start. */
  readonly restarts: number;
  /** Whether each engine's last start of a process succeeded. */
  readonly canStart: boolean;
}

/** Opens an engine for each state of the logs; their statements share one queue. */
export interface EnginePool {
  /**
   * Opens an engine that runs each statement in a disposable process.
   * @throws SetupError if the first process cannot open the database
   */
  open(options: OpenOptions): Promise<Engine>;
  state(): EnginePoolState;
}

/** An idle spare whose memory has grown by more than this factor is replaced. */
const maxGrowth = 1.5;

/**
 * Creates a pool that runs at most `maxConcurrentQueries` statements at once, and keeps a spare process open for
 * each engine.
 */
export function createEnginePool(options: EnginePoolOptions): EnginePool {
  const { maxConcurrentQueries: maxRunning, maxQueuedQueries: maxWaiting } = options;
  // More statements than cores answer no more, and slow down those of others.
  const maxShare = Math.min(maxRunning, availableParallelism()) - 1;
  const maxRunningPerCaller = options.callers > 1 ? Math.max(1, maxShare) : maxRunning;
  const queue = createQueue({ maxRunning, maxRunningPerCaller, maxWaiting });
  const breaker = createCircuitBreaker(() => performance.now());
  const opened = new Set<Processes<EngineProcess>>();
  let closedRestarts = 0;
  const forget = (processes: Processes<EngineProcess>) => {
    opened.delete(processes);
    closedRestarts += processes.state().restarts;
  };
  return {
    async open(own) {
      const { onStartFailure, ...all } = { ...options, ...own };
      const processes = createProcesses({
        max: maxRunning + 1,
        start: () => startEngineProcess(all),
        isWorn: (spare) => spare.growth() > maxGrowth,
        // Until the engine is open, failures are thrown instead.
        onStartFailure: (error) => opened.has(processes) && onStartFailure?.(error),
      });
      await runAgainIfKilled(processes.openSpare).catch((error: unknown) =>
        endAndThrow(processes, error),
      );
      opened.add(processes);
      const engine = createEngine({ ...options, processes, queue, breaker });
      return { ...engine, close: () => engine.close().finally(() => forget(processes)) };
    },
    state() {
      const states = [...opened].map((processes) => processes.state());
      return {
        running: queue.running,
        waiting: queue.waiting,
        spare: maxRunning - queue.running,
        processes: states.reduce((sum, state) => sum + state.processes, 0),
        restarts: states.reduce((sum, state) => sum + state.restarts, closedRestarts),
        canStart: states.every(({ canStart }) => canStart),
      };
    },
  };
}

async function endAndThrow(processes: Processes<EngineProcess>, error: unknown): Promise<never> {
  await processes.end();
  throw isKill(error) ? new SetupError(['an engine process was killed twice']) : error;
}

interface EngineParts {
  readonly processes: Processes<EngineProcess>;
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

function createEngine({ processes, queue, breaker, queryTimeoutMs }: EngineParts): Engine {
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
      // An idle process may have been killed just now, too: the second one is new.
      return await runAgainIfKilled((isAgain) => runOnce(statement, turn, isAgain));
    } catch (error) {
      throw isClosed ? shutdownError() : isKill(error) ? killedAgain(error) : error;
    } finally {
      leave();
    }
  }

  async function runOnce(statement: Statement, turn: Turn, mustBeNew: boolean): Promise<Result> {
    const one = processes.take(mustBeNew);
    try {
      await untilOpen(one, turn.signal);
      const nowMs = performance.now();
      turn.startedMs ??= nowMs;
      const leftMs = turn.startedMs + queryTimeoutMs - nowMs;
      const result = await withTimeLimit(turn.signal, leftMs, (limit) =>
        one.run(statement, limit),
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
    dialect: 'duckdb',
    run,
    close() {
      isClosed = true;
      return processes.end();
    },
  };
}

/**
 * Waits until the process is open, or the caller gives up.
 * @throws ServiceError `timeout`, `backendBusy`; ProcessEnd if the process was killed
 */
async function untilOpen({ opened }: EngineProcess, signal: AbortSignal): Promise<void> {
  let leave = () => {};
  const left = new Promise<never>((_resolve, reject) => {
    leave = () => reject(stoppedError(signal));
  });
  signal.addEventListener('abort', leave, { once: true });
  if (signal.aborted) leave();
  await Promise.race([opened.catch(cannotStart), left]).finally(() =>
    signal.removeEventListener('abort', leave),
  );
}

function cannotStart(cause: unknown): never {
  if (isKill(cause)) throw cause;
  throw new ServiceError('backendBusy', 'No engine process can be started now', { cause });
}
