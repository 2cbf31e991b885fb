import { deserialize } from 'node:v8';
import { ServiceError } from '../../errors/errors.js';
import { ProcessEnd } from '../../process/process-end.js';
import type { WorkProcess } from '../../process/processes.js';
import { startProcess } from '../../process/task.js';
import type { CompileData, QueryToCompile, Traced } from '../compile-sandbox.js';
import type { CompileTasks } from './compile-child.js';

/**
 * A process that compiles one query at a time and can be ended while compiling. It is not a thread,
 * because a worker thread that far exceeds its heap limit ends the whole process.
 */
export interface CompileProcess extends WorkProcess {
  /** Sends data unless the process has it; settles when the process is ready. @throws Error if it ends first */
  open(data: CompileData): Promise<void>;
  /**
   * Compiles a query, sending the data if necessary. Ends the process if it exceeds the time limit.
   * @throws ServiceError for an invalid query, or one that exceeds the time or memory limit; ProcessEnd if the process
   * ends otherwise; any other Error is a bug
   */
  compile(data: CompileData, query: QueryToCompile, timeoutMs: number): Promise<CompileResult>;
}

/** A compiled query. */
export interface CompileResult extends Traced {
  /** In milliseconds, including communication. */
  readonly compileMs: number;
}

/** The heap limit of a process. The most expensive valid query needs 45 MB; wide sources need more. */
const heapMb = 192;

/** The signal with which Node ends a process that runs out of heap. */
const outOfHeap = 'SIGABRT' satisfies NodeJS.Signals;

/** The maximum time in milliseconds until a process is ready; usually it takes 300. */
const openTimeoutMs = 30_000;

/** Starts a process with this data; it runs `program`, by default the built program. */
export function startCompileProcess(first: CompileData, program?: string): CompileProcess {
  const flags = [`--max-old-space-size=${heapMb}`];
  // Quiet: Node's report of a full heap does not belong in the log.
  const tasks = startProcess<CompileTasks>({ verb: 'compile', flags, isQuiet: true, program });
  let current = send(first);

  function send(data: CompileData) {
    const error = () => new Error(`a compile process was not ready after ${openTimeoutMs} ms`);
    const opened = tasks.run('open', data, { limit: { ms: openTimeoutMs, error } });
    // Callers see the rejection when they await the promise. A new process may succeed.
    opened.catch(() => tasks.end());
    return { version: data.version, opened };
  }

  function open(data: CompileData): Promise<void> {
    // A query follows, and must not wait until all stored ones are compiled.
    if (data.version !== current.version) current = send({ ...data, endpoints: [] });
    return current.opened;
  }

  return {
    pid: tasks.pid,
    open,
    opened: current.opened,
    isAlive: tasks.isAlive,
    end: () => tasks.end(),
    ended: tasks.ended,
    async compile(data, query, timeoutMs) {
      // Other data may be sent meanwhile.
      do await open(data);
      while (data.version !== current.version);
      const start = performance.now();
      const language = query.sandbox?.language ?? 'explain';
      const limit = { ms: timeoutMs, error: () => tooSlow(timeoutMs, language) };
      const bytes = await tasks.run('compile', query, { limit }).catch((error: unknown) => {
        const isOutOfHeap = error instanceof ProcessEnd && error.how === outOfHeap;
        throw isOutOfHeap ? tooLarge(language, error) : error;
      });
      // The cast is safe: this program's own compiler serialized it.
      const traced = deserialize(bytes) as Traced;
      return { ...traced, compileMs: performance.now() - start };
    },
  };
}

function tooLarge(location: string, cause: unknown): ServiceError {
  const message = `The query needs more than ${heapMb} MB of memory to compile: make it shorter, or split it into several`;
  return new ServiceError('resourcesExceeded', message, { location, cause });
}

function tooSlow(timeoutMs: number, location: string): ServiceError {
  const message = `The query took longer to compile than ${timeoutMs} ms (--compile-timeout): make it shorter, or split it into several`;
  return new ServiceError('timeout', message, { location });
}
