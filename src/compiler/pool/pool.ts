import { LRUCache } from 'lru-cache';
import { createQueue } from '../../common/fair-queue.js';
import { closed, stopped } from '../../common/stop-errors.js';
import { ServiceError } from '../../errors/errors.js';
import type { CompileSandbox, SandboxOptions, TimedQuery } from '../compile-sandbox.js';
import type { CompiledQuery } from '../compiled-query.js';
import { nothing } from '../rewrite/fold-constants.js';
import type { CompileData, QueryToCompile } from './compile-messages.js';
import { type CompileWorker, startCompileWorker, type WorkerResult } from './compile-worker.js';
import { type CompileWorkers, createWorkers } from './compile-workers.js';

/** Compiles callers' queries away from the server's thread, over one state of the logs after another. */
export interface CompilePool {
  /** A compiler over these data. The workers start, or switch to these data, in the background. */
  open(data: CompileData): CompileSandbox;
  state(): CompilePoolState;
  /** Ends the workers, and refuses what is waiting and what comes, as `backendBusy`. */
  close(): Promise<void>;
}

/** What a pool is doing. */
export interface CompilePoolState {
  readonly running: number;
  readonly waiting: number;
  /** Workers that ended: by a query's time or memory, or by a crash. */
  readonly restarts: number;
}

export interface CompilePoolOptions {
  readonly timeoutMs: number;
  readonly maxQueuedQueries: number;
  /** How many callers there are; where there are more than one, none of them has every worker. */
  readonly callers: number;
  /** Starts a worker; by default one of the built program. */
  readonly start?: () => CompileWorker;
}

/** How many queries compile at one time. */
const workerCount = 2;

/** How many compiled queries are kept of each state of the logs, the least recently used out first. */
const keptQueries = 1_000;

/** Most bytes of those, with their texts. */
const keptBytes = 16_000_000;

/** A pool of two workers, for which callers take turns. */
export function createCompilePool(options: CompilePoolOptions): CompilePool {
  const { timeoutMs, maxQueuedQueries: maxWaiting, callers, start = startCompileWorker } = options;
  const maxRunningOfOne = callers > 1 ? workerCount - 1 : workerCount;
  const queue = createQueue({ maxRunning: workerCount, maxRunningOfOne, maxWaiting });
  const workers = createWorkers(workerCount, start);
  let isClosed = false;

  async function compile(data: CompileData, query: QueryToCompile, asker: Asker) {
    const asked = performance.now();
    const leave = await queue.enter(asker);
    let worker: CompileWorker | undefined;
    try {
      if (isClosed) throw closed();
      worker = takeWorker(workers);
      await worker.open(data).catch(cannotStart);
      if (asker.signal.aborted) throw stopped(asker.signal);
      const waitMs = performance.now() - asked;
      return { ...(await worker.compile(data, query, timeoutMs)), waitMs };
    } finally {
      // Whoever ended a worker keeps the place until there is another: nobody else is to wait for that.
      const replacing = worker && workers.giveBack(worker);
      if (replacing === undefined) leave();
      else void replacing.then(leave);
    }
  }

  return {
    open(data) {
      workers.open(data);
      return keepCompiled((query, asker) => compile(data, query, asker));
    },
    state: () => ({
      running: queue.running,
      waiting: queue.waiting,
      restarts: workers.restarts(),
    }),
    close() {
      isClosed = true;
      return workers.end(closed());
    },
  };
}

/** Who asks. */
type Asker = Pick<SandboxOptions, 'signal' | 'caller'>;

type Compile = (query: QueryToCompile, asker: Asker) => Promise<WorkerResult & TimedQuery>;

/** Compiles what it has not compiled before; refusals are not kept. */
function keepCompiled(compile: Compile): CompileSandbox {
  const kept = new LRUCache<string, CompiledQuery>({ max: keptQueries, maxSize: keptBytes });
  return async (endpoint, sandbox, { redact, known = nothing, scope = '', ...asker }) => {
    const { name, sql, maxRows } = endpoint;
    const key = JSON.stringify([name, sql, maxRows, sandbox, redact, [...known], scope]);
    const before = kept.get(key);
    if (before !== undefined) return { query: before, compileMs: 0, waitMs: 0 };
    const asked = { endpoint, sandbox, options: { redact, known } };
    const { query, bytes, compileMs, waitMs } = await compile(asked, asker);
    kept.set(key, query, { size: bytes + key.length });
    return { query, compileMs, waitMs };
  };
}

function takeWorker(workers: CompileWorkers): CompileWorker {
  try {
    return workers.take();
  } catch (error) {
    return cannotStart(error);
  }
}

function cannotStart(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause;
  throw new ServiceError('backendBusy', 'No compile worker can be started now', { cause });
}
