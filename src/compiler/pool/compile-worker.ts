import { type ChildProcess, fork } from 'node:child_process';
import { deserialize } from 'node:v8';
import { builtPath } from '../../common/package-paths.js';
import { ServiceError } from '../../errors/errors.js';
import type { Traced } from '../compile-sandbox.js';
import {
  type CompileData,
  type CompileReply,
  keepVersion,
  type SandboxToCompile,
} from './compile-messages.js';
import { createCalls, WorkerEnd } from './worker-calls.js';

/**
 * A process that compiles one query at a time and can be ended while compiling. It is not a thread,
 * because a worker thread that far exceeds its heap limit ends the whole process.
 */
export interface CompileWorker {
  /** Sends data unless the worker has it; settles when the worker is ready. @throws Error if it ends first */
  open(data: CompileData): Promise<void>;
  /**
   * Compiles a query, sending the data if necessary. Ends the worker if it exceeds the time limit.
   * @throws ServiceError for a fault in the query, and if it exceeds the time or memory limit; any other Error
   * is a bug
   */
  compile(data: CompileData, query: SandboxToCompile, timeoutMs: number): Promise<WorkerResult>;
  /** Whether it accepts queries. */
  isAlive(): boolean;
  /** Whether it has started and can compile immediately. */
  isReady(): boolean;
  /** Ends it immediately; pending requests fail with this error. */
  end(why: Error): void;
  /** Settles when the process has ended. */
  readonly ended: Promise<void>;
}

/** A compiled query. */
export interface WorkerResult extends Traced {
  /** The size of the serialized query and its stages. */
  readonly bytes: number;
  /** In milliseconds, including communication. */
  readonly compileMs: number;
}

const program = builtPath('child.js');

/** The heap limit of a worker. The most expensive valid query needs 45 MB; wide sources need more. */
const heapMb = 192;

/** The signal with which Node ends a process that runs out of heap. */
const outOfHeap = 'SIGABRT' satisfies NodeJS.Signals;

/** How long a worker may take to become ready, in milliseconds; usually it takes 300. */
const openTimeoutMs = 30_000;

/** Starts a worker, without environment variables; it does not keep this process alive. */
export function startCompileWorker(path = program): CompileWorker {
  const child = forkWorker(path);
  const { send, end, isAlive, ended } = createCalls(child);
  const opened = new Map<string, Promise<void>>();
  let isReady = false;

  function open(data: CompileData): Promise<void> {
    const existing = opened.get(data.version);
    if (existing !== undefined) return existing;
    const notReady = () =>
      end(new Error(`a compile worker was not ready after ${openTimeoutMs} ms`));
    const opening = withTimeout(openTimeoutMs, notReady, send({ kind: 'open', data })).then(
      checkOpen,
    );
    opening.then(
      () => (isReady = true),
      // Callers see the rejection when they await the promise.
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
      // Sent before waiting, so that the worker cannot drop this data for later data first.
      const replying = send({ kind: 'compile', version: data.version, query });
      replying.catch(() => undefined);
      await opening;
      const start = performance.now();
      const language = query.sandbox?.language ?? 'explain';
      const tooLate = () => end(tooSlow(timeoutMs, language));
      const reply = await withTimeout(timeoutMs, tooLate, replying).catch((error: unknown) => {
        throw isOutOfMemory(error) ? tooLarge(language, error) : error;
      });
      return { ...resultOf(reply), compileMs: performance.now() - start };
    },
  };
}

function forkWorker(path: string): ChildProcess {
  const child = fork(path, ['compile'], {
    env: {},
    execArgv: [`--max-old-space-size=${heapMb}`],
    serialization: 'advanced',
    // Nothing is inherited: Node's report of a full heap does not belong in the log.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.unref();
  child.channel?.unref();
  return child;
}

/** Awaits a promise, and calls `onLate` if it has not settled within the limit. */
async function withTimeout<T>(
  limitMs: number,
  onLate: () => void,
  settling: Promise<T>,
): Promise<T> {
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
  // The cast is safe: this program's own compiler serialized it.
  const traced = deserialize(reply.query) as Traced;
  return { ...traced, bytes: reply.query.byteLength };
}

function errorOf(reply: CompileReply): Error {
  if (reply.kind === 'refused') return ServiceError.of(reply.faults);
  if (reply.kind !== 'failed') return new Error(`a compile worker replied with ${reply.kind}`);
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
