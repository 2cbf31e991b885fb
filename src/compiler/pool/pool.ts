import { createQueue } from '../../common/fair-queue.js';
import { shutdownError, stoppedError } from '../../common/stop-errors.js';
import { ServiceError } from '../../errors/errors.js';
import type { CompileSandbox, SandboxOptions } from '../compile-sandbox.js';
import { noKnownValues } from '../rewrite/fold-constants.js';
import type { CompileData, SandboxToCompile } from './compile-messages.js';
import { type CompileWorker, startCompileWorker } from './compile-worker.js';
import { type CompileWorkers, createWorkers } from './compile-workers.js';

/** Compiles callers' queries in other processes, over successive states of the logs. */
export interface CompilePool {
  /** Returns a compiler for this data. The workers start, or load the data, in the background. */
  open(data: CompileData): CompileSandbox;
  /** The current state. */
  state(): CompilePoolState;
  /** Ends the workers; waiting and later requests fail with `backendBusy`. */
  close(): Promise<void>;
}

/** The state of a pool. */
export interface CompilePoolState {
  readonly running: number;
  readonly waiting: number;
  /** The number of workers that ended because of a query's time or memory, or a crash. */
  readonly restarts: number;
}

/** The options of a pool. */
export interface CompilePoolOptions {
  readonly timeoutMs: number;
  readonly maxQueuedQueries: number;
  /** The number of callers; if there are several, none may use all workers. */
  readonly callers: number;
  /** Starts a worker; by default, a child process of the built program. */
  readonly start?: () => CompileWorker;
}

/** The number of queries that compile at the same time. */
const workerCount = 2;

/** Creates a pool of two workers, which callers use in turn. */
export function createCompilePool(options: CompilePoolOptions): CompilePool {
  const { timeoutMs, maxQueuedQueries: maxWaiting, callers, start = startCompileWorker } = options;
  const maxRunningPerCaller = callers > 1 ? workerCount - 1 : workerCount;
  const queue = createQueue({ maxRunning: workerCount, maxRunningPerCaller, maxWaiting });
  const workers = createWorkers(workerCount, start);
  let isClosed = false;

  async function compile(data: CompileData, query: SandboxToCompile, requester: Requester) {
    const startedAt = performance.now();
    const leave = await queue.enter(requester);
    let worker: CompileWorker | undefined;
    try {
      if (isClosed) throw shutdownError();
      worker = takeWorker(workers);
      await worker.open(data).catch(cannotStart);
      if (requester.signal.aborted) throw stoppedError(requester.signal);
      const waitMs = performance.now() - startedAt;
      return { ...(await worker.compile(data, query, timeoutMs)), waitMs };
    } finally {
      // A caller whose query ended a worker keeps its slot until the worker is replaced.
      const replacing = worker && workers.giveBack(worker);
      if (replacing === undefined) leave();
      else void replacing.then(leave);
    }
  }

  return {
    open(data) {
      workers.open(data);
      return (
        endpoint,
        sandbox,
        { redact, known = noKnownValues, explains = false, ...requester },
      ) => {
        const options = { redact, known, explains };
        return compile(data, { endpoint, sandbox, options }, requester);
      };
    },
    state: () => ({
      running: queue.running,
      waiting: queue.waiting,
      restarts: workers.restarts(),
    }),
    close() {
      isClosed = true;
      return workers.end(shutdownError());
    },
  };
}

/** The caller of a query. */
type Requester = Pick<SandboxOptions, 'signal' | 'caller'>;

function takeWorker(workers: CompileWorkers): CompileWorker {
  try {
    return workers.take();
  } catch (error) {
    return cannotStart(error);
  }
}

function cannotStart(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause;
  throw new ServiceError('backendBusy', 'No compile worker can be started', { cause });
}
