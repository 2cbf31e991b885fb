import { createQueue } from '../../common/fair-queue.js';
import { shutdownError, stoppedError } from '../../common/stop-errors.js';
import { ServiceError } from '../../errors/errors.js';
import { isKill, killedAgain, runAgainIfKilled } from '../../process/process-end.js';
import type { Compile, QueryToCompile, SandboxOptions } from '../compile-sandbox.js';
import type { CompileData } from './compile-child.js';
import { type CompileProcess, startCompileProcess } from './compile-process.js';
import { createCompileProcesses } from './compile-processes.js';

/** Compiles callers' queries in other processes, over successive states of the logs. */
export interface CompilePool {
  /** Returns a compiler for this data. The processes start, or load the data, in the background. */
  open(data: CompileData): Compile;
  /** The current state. */
  state(): CompilePoolState;
  /** Ends the processes; waiting and later requests fail with `backendBusy`. */
  close(): Promise<void>;
}

/** The state of a pool. */
export interface CompilePoolState {
  readonly running: number;
  readonly waiting: number;
  /** The number of processes that were killed, or that ended because of a query's time or memory, or in a crash. */
  readonly restarts: number;
}

/** The options of a pool. */
export interface CompilePoolOptions {
  readonly timeoutMs: number;
  readonly maxQueuedQueries: number;
  /** The number of callers; if there are several, none may use all processes. */
  readonly callers: number;
  /** Starts a process; by default, one of the built program. */
  readonly start?: () => CompileProcess;
}

/** How long a query waits for its turn before a second process starts, in milliseconds: few take longer to compile. */
const patienceMs = 20;

/** Creates a pool of one process, and of two while callers wait; they take turns. */
export function createCompilePool(options: CompilePoolOptions): CompilePool {
  const { timeoutMs, maxQueuedQueries: maxWaiting, callers, start = startCompileProcess } = options;
  const capacity = (count: number) => ({
    maxRunning: count,
    maxRunningPerCaller: callers > 1 ? 1 : count,
  });
  const queue = createQueue({ ...capacity(1), maxWaiting });
  const processes = createCompileProcesses(start, (count) => queue.resize(capacity(count)));
  let isClosed = false;

  async function compileOnce({ data, query, requester, startedAt }: Turn, mustBeNew: boolean) {
    if (isClosed) throw shutdownError();
    const one = processes.take(mustBeNew);
    try {
      await one.open(data).catch(cannotStart);
      if (requester.signal.aborted) throw stoppedError(requester.signal);
      const waitMs = performance.now() - startedAt;
      return { ...(await one.compile(data, query, timeoutMs)), waitMs };
    } finally {
      processes.giveBack(one);
    }
  }

  async function compile(data: CompileData, query: QueryToCompile, requester: Requester) {
    const startedAt = performance.now();
    const timer = setTimeout(processes.grow, patienceMs);
    const leave = await queue.enter(requester).finally(() => clearTimeout(timer));
    try {
      const turn = { data, query, requester, startedAt };
      // An idle process may have been killed just now, too: the second one is new.
      return await runAgainIfKilled((isAgain) => compileOnce(turn, isAgain));
    } catch (error) {
      throw isKill(error) ? killedAgain(error) : error;
    } finally {
      // A caller whose query ended a process keeps its turn until the process is replaced.
      const replacing = processes.replaceEnded();
      if (replacing === undefined) leave();
      else void replacing.then(leave);
    }
  }

  return {
    open(data) {
      processes.open(data);
      return (endpoint, sandbox, { signal, caller, ...options }) =>
        compile(data, { endpoint, sandbox, options }, { signal, caller });
    },
    state: () => ({
      running: queue.running,
      waiting: queue.waiting,
      restarts: processes.restarts(),
    }),
    async close() {
      isClosed = true;
      await processes.end(shutdownError());
    },
  };
}

/** A query that is compiled in its caller's turn. */
interface Turn {
  readonly data: CompileData;
  readonly query: QueryToCompile;
  readonly requester: Requester;
  readonly startedAt: number;
}

/** The caller of a query. */
type Requester = Pick<SandboxOptions, 'signal' | 'caller'>;

function cannotStart(cause: unknown): never {
  if (cause instanceof ServiceError || isKill(cause)) throw cause;
  throw new ServiceError('backendBusy', 'No compile process can be started', { cause });
}
