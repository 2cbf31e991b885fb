import { LRUCache } from 'lru-cache';
import { createQueue } from '../engine/queue.js';
import { closed, stopped } from '../engine/stopped.js';
import { ServiceError } from '../errors.js';
import type { CompileSandbox, SandboxOptions, TimedQuery } from '../query/compile-sandbox.js';
import type { CompiledQuery } from '../query/compiled-query.js';
import { nothing } from '../query/known.js';
import type { CompileData, QueryToCompile } from './compile-messages.js';
import { type CompileThread, startCompileThread, type ThreadResult } from './compile-thread.js';
import { type CompileThreads, createThreads } from './compile-threads.js';

/** Compiles callers' queries away from the server's thread, over one state of the logs after another. */
export interface CompilePool {
  /** Starts the threads ahead of the data. */
  prepare(): void;
  /** What compiles over these data; the threads make ready for them. */
  open(data: CompileData): CompileSandbox;
  state(): CompilePoolState;
  /** Ends the threads, and refuses what is waiting and what comes, as `backendBusy`. */
  close(): Promise<void>;
}

/** What a pool is doing. */
export interface CompilePoolState {
  readonly running: number;
  readonly waiting: number;
  /** Threads that ended: by a query's time or memory, or by a crash. */
  readonly restarts: number;
}

export interface CompilePoolOptions {
  readonly timeoutMs: number;
  readonly maxQueuedQueries: number;
  /** How many callers there are; where there are more than one, none of them has every thread. */
  readonly callers: number;
  /** Starts a thread; by default one of the built program. */
  readonly start?: () => CompileThread;
}

/** How many queries compile at one time. */
const threadCount = 2;

/** How many compiled queries are kept of each state of the logs, the least recently used out first. */
const keptQueries = 1_000;

/** Most bytes of those, with their texts. */
const keptBytes = 16_000_000;

/** A pool of two threads, for which callers take turns. */
export function createCompilePool(options: CompilePoolOptions): CompilePool {
  const { timeoutMs, maxQueuedQueries: maxWaiting, callers, start = startCompileThread } = options;
  const maxRunningOfOne = callers > 1 ? threadCount - 1 : threadCount;
  const queue = createQueue({ maxRunning: threadCount, maxRunningOfOne, maxWaiting });
  const threads = createThreads(threadCount, start);
  let isClosed = false;

  async function compile(data: CompileData, query: QueryToCompile, asker: Asker) {
    const asked = performance.now();
    const leave = await queue.enter(asker);
    try {
      if (isClosed) throw closed();
      return await compileInTurn(data, query, { ...asker, asked });
    } finally {
      leave();
    }
  }

  async function compileInTurn(
    data: CompileData,
    query: QueryToCompile,
    { signal, asked }: Asker & { readonly asked: number },
  ): Promise<ThreadResult & TimedQuery> {
    const thread = takeThread(threads);
    try {
      await thread.open(data).catch(cannotStart);
      if (signal.aborted) throw stopped(signal);
      const waitMs = performance.now() - asked;
      return { ...(await thread.compile(data, query, timeoutMs)), waitMs };
    } finally {
      threads.giveBack(thread);
    }
  }

  return {
    prepare: threads.prepare,
    open(data) {
      threads.open(data);
      return keepCompiled((query, asker) => compile(data, query, asker));
    },
    state: () => ({
      running: queue.running,
      waiting: queue.waiting,
      restarts: threads.restarts(),
    }),
    close() {
      isClosed = true;
      return threads.end(closed());
    },
  };
}

/** Who asks. */
type Asker = Pick<SandboxOptions, 'signal' | 'caller'>;

type Compile = (query: QueryToCompile, asker: Asker) => Promise<ThreadResult & TimedQuery>;

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

function takeThread(threads: CompileThreads): CompileThread {
  try {
    return threads.take();
  } catch (error) {
    return cannotStart(error);
  }
}

function cannotStart(cause: unknown): never {
  if (cause instanceof ServiceError) throw cause;
  throw new ServiceError('backendBusy', 'No compile thread can be started now', { cause });
}
