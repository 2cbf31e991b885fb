import { type ChildProcess, fork } from 'node:child_process';
import type { Reply, Request, TaskContext, Tasks } from './messages.js';
import { builtPath } from './package-paths.js';
import { endKind, ProcessEnd } from './process-end.js';
import { receiveError } from './sent-error.js';
import { stoppedError } from './stop-errors.js';

/** The options for starting a process. */
export interface ProcessOptions {
  /** The purpose of the process: the first argument of the built `child.js`. */
  readonly verb: string;
  readonly args?: readonly string[];
  /** Its environment, which inherits nothing of ours. */
  readonly env?: Readonly<Record<string, string>>;
  /** Node flags. */
  readonly flags?: readonly string[];
  /** Whether to discard its standard error; by default it shares ours. */
  readonly isQuiet?: boolean;
  /** Another program, for tests. */
  readonly program?: string | undefined;
}

/**
 * A child process that performs tasks. It ends when this process does, and keeps this process running only while a
 * task runs or while it is being ended.
 */
export interface TaskProcess<T extends Tasks> {
  readonly pid: number | undefined;
  /**
   * Performs a task; several may run at once. When the signal fires, the task is stopped; half a second later the
   * process is killed.
   * @throws the error of the task; ServiceError `timeout` if the signal has fired; if the process ends first, the error
   * given to {@link end}, or ProcessEnd
   */
  run<K extends keyof T & string>(
    task: K,
    input: Parameters<T[K]>[0],
    options?: TaskOptions<ProgressOf<T[K]>>,
  ): Promise<Awaited<ReturnType<T[K]>>>;
  /** Whether it has neither ended nor been told to. */
  isAlive(): boolean;
  /** Kills it; unfinished tasks fail with the error, once it has ended. */
  end(why?: Error): void;
  /** Settles when it has ended. */
  readonly ended: Promise<ProcessEnd>;
}

/** The options for watching a task. */
export interface TaskOptions<Progress> {
  readonly signal?: AbortSignal;
  /** The time after which the process is killed, and the error of the task. */
  readonly limit?: { readonly ms: number; readonly error: () => Error };
  readonly onProgress?: (progress: Progress) => void;
}

type ProgressOf<Task extends Tasks[string]> =
  Parameters<Task>[1] extends TaskContext<infer Progress> ? Progress : never;

/** The time for which a stopped task may continue before its process is killed, in milliseconds. */
const graceMs = 500;

/** Starts a process. If that fails, so do its tasks. */
export function startProcess<T extends Tasks>(options: ProcessOptions): TaskProcess<T> {
  try {
    const { verb, args = [], env = {}, flags = [], program, isQuiet } = options;
    return connect(
      fork(program ?? builtPath('child.js'), [verb, ...args], {
        env: { ...env },
        execArgv: [...flags],
        serialization: 'advanced',
        stdio: ['ignore', 'ignore', isQuiet ? 'ignore' : 'inherit', 'ipc'],
      }),
    );
  } catch (error) {
    // `fork` throws if memory, file descriptors or processes run out; other failures are events of the child.
    const failure = new ProcessEnd('not started', String(error));
    return {
      pid: undefined,
      run: () => Promise.reject(failure),
      isAlive: () => false,
      end: () => {},
      ended: Promise.resolve(failure),
    };
  }
}

interface Running {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
  readonly onProgress: ((progress: never) => void) | undefined;
}

interface Child {
  readonly process: ChildProcess;
  /** The unfinished tasks, by id. */
  readonly running: Map<number, Running>;
  readonly ended: Promise<ProcessEnd>;
  isAlive: boolean;
  /** Whether this program has killed it. */
  isEnding: boolean;
  /** The error for unfinished tasks; undefined if they get the end of the process as their error. */
  why: Error | undefined;
}

function connect<T extends Tasks>(started: ChildProcess): TaskProcess<T> {
  const running = new Map<number, Running>();
  const ended = new Promise<ProcessEnd>((resolve) => {
    started.once('exit', (code, signal) => {
      const how = signal ?? `exit code ${code}`;
      resolve(new ProcessEnd(child.isEnding ? 'ended' : endKind(how), how));
    });
    started.on('error', (error) => {
      if (started.pid === undefined) resolve(new ProcessEnd('not started', String(error)));
    });
  });
  const rest = { isAlive: true, isEnding: false, why: undefined };
  const child: Child = { process: started, running, ended, ...rest };
  void ended.then((how) => {
    child.isAlive = false;
    for (const { reject } of running.values()) reject(child.why ?? how);
  });
  started.on('message', (reply: Reply) => settle(running.get(reply.id), reply));
  keepRunning(child);
  let tasks = 0;
  const run = (task: string, input: unknown, options: TaskOptions<never> = {}) =>
    runTask(child, { id: tasks++, task, input }, options);
  return {
    pid: started.pid,
    // The cast is safe: the tasks of the child have these types.
    run: run as TaskProcess<T>['run'],
    isAlive: () => child.isAlive,
    end: (why) => end(child, why),
    ended,
  };
}

function settle(task: Running | undefined, reply: Reply): void {
  if ('progress' in reply) task?.onProgress?.(reply.progress as never);
  else if ('error' in reply) task?.reject(receiveError(reply.error));
  else task?.resolve(reply.result);
}

function end(child: Child, why?: Error): void {
  if (!child.isAlive) return;
  Object.assign(child, { isAlive: false, isEnding: true, why });
  keepRunning(child);
  child.process.kill('SIGKILL');
}

type TaskRequest = Extract<Request, { readonly task: string }>;

async function runTask(child: Child, request: TaskRequest, options: TaskOptions<never>) {
  const { signal, limit } = options;
  if (signal?.aborted) throw stoppedError(signal);
  const timers = limit ? [setTimeout(() => end(child, limit.error()), limit.ms)] : [];
  const stop = () => {
    send(child, { stop: request.id });
    timers.push(setTimeout(() => end(child), graceMs));
  };
  signal?.addEventListener('abort', stop, { once: true });
  try {
    return await replyTo(child, request, options);
  } catch (error) {
    throw signal?.aborted && !exceedsLimit(child, error) ? stoppedError(signal) : error;
  } finally {
    for (const timer of timers) clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
  }
}

/** Whether a process was ended for a reason other than a signal. */
function exceedsLimit({ why }: Child, error: unknown): boolean {
  return error === why || (error instanceof ProcessEnd && error.kind === 'out of memory');
}

async function replyTo(child: Child, request: TaskRequest, { onProgress }: TaskOptions<never>) {
  const { running, ended } = child;
  try {
    return await new Promise<unknown>((resolve, reject) => {
      running.set(request.id, { resolve, reject, onProgress });
      keepRunning(child);
      // Wait for `ended` only in this case: otherwise every result would stay in memory until the process ends.
      if (!child.isAlive) void ended.then((how) => reject(child.why ?? how));
      else send(child, request);
    });
  } finally {
    running.delete(request.id);
    keepRunning(child);
  }
}

/** Ignores errors because the process may have ended: `ended` reports that. */
function send(child: Child, request: Request): void {
  child.process.send(request, () => {});
}

/** Lets this process exit by itself only if no task runs. */
function keepRunning({ process, running, isEnding }: Child): void {
  const change = isEnding || running.size > 0 ? 'ref' : 'unref';
  process[change]();
  process.channel?.[change]();
}
