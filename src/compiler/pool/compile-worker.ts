import { fork } from 'node:child_process';
import { deserialize } from 'node:v8';
import { builtPath } from '../../common/package-paths.js';
import { ServiceError } from '../../errors/errors.js';
import type { CompiledQuery } from '../compiled-query.js';
import {
  type CompileData,
  type CompileReply,
  keepVersion,
  type QueryToCompile,
} from './compile-messages.js';
import { createCalls, WorkerEnd } from './worker-calls.js';

/**
 * A process that compiles one query at a time, and can be ended while it does. A thread could not be:
 * a worker thread that allocates far past its heap limit ends the whole process.
 */
export interface CompileWorker {
  /** Gives it data, unless it has them; settles once it is ready to compile. @throws Error where it ends first */
  open(data: CompileData): Promise<void>;
  /**
   * Compiles over data that it was given or is given now. Past the time limit the worker is ended.
   * @throws ServiceError for the query's faults, time and memory; any other Error is a bug
   */
  compile(data: CompileData, query: QueryToCompile, timeoutMs: number): Promise<WorkerResult>;
  /** Whether it takes another query. */
  isAlive(): boolean;
  /** Whether it has started and compiles at once. */
  isReady(): boolean;
  /** Ends it now; what it was asked fails with this error. */
  end(why: Error): void;
  /** Settles when it is gone. */
  readonly ended: Promise<void>;
}

/** What a worker made of a query. */
export interface WorkerResult {
  readonly query: CompiledQuery;
  /** The query's size, serialized. */
  readonly bytes: number;
  /** In milliseconds, with the way to the worker and back. */
  readonly compileMs: number;
}

const program = builtPath('child.js');

/** A worker's heap. The dearest text that is accepted needs 45 MB, and wide sources need more. */
const heapMb = 192;

/** How Node ends a process that is out of heap. */
const outOfHeap = 'SIGABRT' satisfies NodeJS.Signals;

/** How long a worker may take to get ready, in milliseconds: a third of a second is usual. */
const openMs = 30_000;

/** Starts a worker of the built program; it sees nothing of the environment and keeps no process alive. */
export function startCompileWorker(path = program): CompileWorker {
  const child = fork(path, ['compile'], {
    env: {},
    execArgv: [`--max-old-space-size=${heapMb}`],
    serialization: 'advanced',
    // What Node says of a heap that is full is no line of the log.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  const { send, end, isAlive, ended } = createCalls(child);
  const opened = new Map<string, Promise<void>>();
  let isReady = false;

  function open(data: CompileData): Promise<void> {
    const before = opened.get(data.version);
    if (before !== undefined) return before;
    const notReady = () => end(new Error(`a compile worker was not ready after ${openMs} ms`));
    const opening = within(openMs, notReady, send({ kind: 'open', data })).then(checkOpen);
    opening.then(
      () => (isReady = true),
      // A worker may be given data before anybody waits for it.
      () => undefined,
    );
    keepVersion(opened, data.version, opening);
    return opening;
  }

  return {
    open,
    isAlive,
    isReady: () => isReady,
    end,
    ended,
    async compile(data, query, timeoutMs) {
      const opening = open(data);
      // Sent at once: other data, which could take the place of these, come later.
      const replying = send({ kind: 'compile', version: data.version, query });
      replying.catch(() => undefined);
      await opening;
      const start = performance.now();
      const { language } = query.sandbox;
      const tooLate = () => end(tooSlow(timeoutMs, language));
      const reply = await within(timeoutMs, tooLate, replying).catch((error: unknown) => {
        throw isOutOfMemory(error) ? tooLarge(language, error) : error;
      });
      return { ...resultOf(reply), compileMs: performance.now() - start };
    },
  };
}

/** Calls `onLate` where a promise has not settled by then. */
async function within<T>(limitMs: number, onLate: () => void, settling: Promise<T>): Promise<T> {
  const timer = setTimeout(onLate, limitMs);
  try {
    return await settling;
  } finally {
    clearTimeout(timer);
  }
}

function checkOpen(reply: CompileReply): void {
  if (reply.kind !== 'open') throw errorOf(reply);
}

function resultOf(reply: CompileReply): Omit<WorkerResult, 'compileMs'> {
  if (reply.kind !== 'compiled') throw errorOf(reply);
  // Not only bytes: what the compiler in the worker made of a query.
  const query = deserialize(reply.query) as CompiledQuery;
  return { query, bytes: reply.query.byteLength };
}

function errorOf(reply: CompileReply): Error {
  if (reply.kind === 'refused') return ServiceError.of(reply.faults);
  if (reply.kind !== 'failed') return new Error(`a compile worker answered with ${reply.kind}`);
  return Object.assign(new Error(reply.message), { stack: reply.stack });
}

function isOutOfMemory(error: unknown): boolean {
  return error instanceof WorkerEnd && error.how === outOfHeap;
}

function tooLarge(location: string, cause: unknown): ServiceError {
  const message = `The query needs more than ${heapMb} MB of memory to compile: make it shorter, or split it into several`;
  return new ServiceError('resourcesExceeded', message, { location, cause });
}

function tooSlow(timeoutMs: number, location: string): ServiceError {
  const message = `The query took longer to compile than ${timeoutMs} ms (--compile-timeout): make it shorter, or split it into several`;
  return new ServiceError('timeout', message, { location });
}
