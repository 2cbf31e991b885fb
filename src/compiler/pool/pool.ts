import { ServiceError } from '../../errors/errors.js';
import { createQueue } from '../../process/fair-queue.js';
import { isKill, killedAgain, runAgainIfKilled } from '../../process/process-end.js';
import { createProcesses, type Processes } from '../../process/processes.js';
import { shutdownError, stoppedError } from '../../process/stop-errors.js';
import type { Compile, CompileData, QueryToCompile, SandboxOptions } from '../compile-sandbox.js';
import { type CompileProcess, startCompileProcess } from './compile-process.js';

/** Compiles callers' queries in other processes, over successive states of the logs. */
export type CompilePool = ReturnType<typeof createCompilePool>;

/** The options of a pool. */
export interface CompilePoolOptions {
  readonly timeoutMs: number;
  readonly maxQueuedQueries: number;
  /** The number of callers; if there are several, none may use all processes. */
  readonly callers: number;
  /** Starts a process; by default, one of the built program. */
  readonly start?: (data: CompileData) => CompileProcess;
}

/** The maximum number of processes. */
const maxProcesses = 2;

/** The time in milliseconds that a query waits before a second process starts: few queries take longer to compile. */
const patienceMs = 20;

/** Creates a pool of one process, or of two for a while after a query had to wait; callers take turns. */
export function createCompilePool(options: CompilePoolOptions) {
  const { maxQueuedQueries: maxWaiting, callers, start = startCompileProcess } = options;
  const capacity = (maxRunning: number) => ({
    maxRunning,
    maxRunningPerCaller: callers > 1 ? 1 : maxRunning,
  });
  const queue = createQueue({ ...capacity(1), maxWaiting });
  let latest = noData;
  const processes = createProcesses({ max: 1, start: () => start(latest) });
  const compileOnce = createCompileOnce(processes, options.timeoutMs);
  let isClosed = false;

  /** Replaces the process that a query ended; until then, the caller keeps its turn. */
  async function replaceEnded({ process }: Turn): Promise<void> {
    if (process?.isAlive() === false) await addProcess(processes);
  }

  function grow(): void {
    if (processes.all.size >= maxProcesses) return;
    void addProcess(processes).then(() => queue.resize(capacity(processes.all.size)));
  }

  async function compile(data: CompileData, query: QueryToCompile, requester: Requester) {
    const turn: Turn = { data, query, requester, startedAt: performance.now() };
    if (processes.all.size < maxProcesses) queue.resize(capacity(1));
    const timer = setTimeout(grow, patienceMs);
    const leave = await queue.enter(requester).finally(() => clearTimeout(timer));
    try {
      // The second attempt uses a new process: an idle one may just have been killed, too.
      return await runAgainIfKilled((isAgain) => compileOnce(turn, isAgain));
    } catch (error) {
      throw isClosed ? shutdownError() : isKill(error) ? killedAgain(error) : error;
    } finally {
      void replaceEnded(turn).then(leave);
    }
  }

  return {
    /** Returns a compiler for this data. The first process starts in the background. */
    open(data: CompileData): Compile {
      // A running process gets data with the first query over it: most versions of growing logs get no query.
      latest = data;
      void processes.openSpare();
      return (endpoint, sandbox, { signal, caller, ...options }) =>
        compile(data, { endpoint, sandbox, options }, { signal, caller });
    },
    /** `restarts` counts the processes that were killed, crashed, or exceeded a query's time or memory. */
    state: () => ({
      running: queue.running,
      waiting: queue.waiting,
      restarts: processes.state().restarts,
    }),
    /** Ends the processes; waiting and later requests fail with `backendBusy`. */
    async close(): Promise<void> {
      isClosed = true;
      await processes.end();
    },
  };
}

/** The data of a process that starts before the first data arrives. */
const noData: CompileData = { version: '', sources: [], endpoints: [] };

/** Adds an idle process. If that fails, the next query gets the error. */
async function addProcess(processes: Processes<CompileProcess>): Promise<void> {
  try {
    const one = processes.take(true);
    await one.opened;
    processes.giveBack(one);
  } catch {
    // The pool is closed, or the process has ended.
  }
}

/** Returns a function that compiles a query in an idle process, or in a new one. */
function createCompileOnce(processes: Processes<CompileProcess>, timeoutMs: number) {
  return async (turn: Turn, mustBeNew: boolean) => {
    const { data, query, requester, startedAt } = turn;
    const one = processes.take(mustBeNew);
    turn.process = one;
    try {
      await one.open(data).catch(cannotStart);
      if (requester.signal.aborted) throw stoppedError(requester.signal);
      const waitMs = performance.now() - startedAt;
      return { ...(await one.compile(data, query, timeoutMs)), waitMs };
    } finally {
      if (one.isAlive()) processes.giveBack(one);
    }
  };
}

/** A query that compiles in its caller's turn. */
interface Turn {
  readonly data: CompileData;
  readonly query: QueryToCompile;
  readonly requester: Requester;
  readonly startedAt: number;
  /** The process that took it last. */
  process?: CompileProcess;
}

/** The caller of a query. */
type Requester = Pick<SandboxOptions, 'signal' | 'caller'>;

function cannotStart(cause: unknown): never {
  if (cause instanceof ServiceError || isKill(cause)) throw cause;
  throw new ServiceError('backendBusy', 'No compile process can be started', { cause });
}
