import { type ChildProcess, fork } from 'node:child_process';
import { builtPath } from '../common/package-paths.js';
import { receiveError } from '../common/sent-error.js';
import { shutdownError, stoppedError } from '../common/stop-errors.js';
import type { EngineData } from '../engine/duckdb/lockdown.js';
import type { Engine, Result } from '../engine/engine.js';
import { withTimeLimit } from '../engine/time-limit.js';
import { SetupError } from '../errors/errors.js';
import type { LoadedSource, LoadOptions } from '../logs/load/job.js';
import type { Task, WorkerLimits, WorkerReply, WorkerRequest } from './messages.js';

/** Loads logs and runs engines, many at a time, in one child process, which is started again if it has ended. */
export interface TestWorker {
  load(options: LoadOptions): Promise<readonly LoadedSource[]>;
  open(data: EngineData): Promise<Engine>;
}

const program = builtPath('child.js');

/** How long an interrupted statement may go on before its process is killed, in milliseconds. */
const graceMs = 500;

/** Starts a worker that removes `folder` when this process has ended. It keeps this process running only while it works. */
export function startWorker(folder: string, limits: WorkerLimits): TestWorker {
  let child = startChild(folder, limits);
  let engines = 0;
  const current = (): Child => {
    if (!child.isAlive()) child = startChild(folder, limits);
    return child;
  };
  return {
    load: async (options) =>
      (await current().perform({ kind: 'load', options })) as readonly LoadedSource[],
    async open(data) {
      const engine = createEngine(current, { data: onlyNeeded(data), limits, number: engines++ });
      await engine.open();
      return engine;
    },
  };
}

/** Without the types of the columns, which take milliseconds to send. */
function onlyNeeded({ databaseFile, sources }: EngineData): EngineData {
  const stored = sources.map(({ name, parts, columns }) => ({
    name,
    ...(parts && { parts }),
    columns: columns.map((column) => ({ name: column.name })),
  }));
  return { databaseFile, sources: stored };
}

interface EngineParts {
  readonly data: EngineData;
  readonly limits: WorkerLimits;
  readonly number: number;
}

/** An engine in the current child; it is opened again if that is another one than before. */
function createEngine(current: () => Child, { data, limits, number }: EngineParts) {
  let opened: { readonly child: Child; readonly done: Promise<unknown> } | undefined;
  let isClosed = false;

  async function open(): Promise<Child> {
    const child = current();
    if (opened?.child !== child) {
      opened = { child, done: child.perform({ kind: 'open', engine: number, data }) };
    }
    await opened.done;
    return child;
  }

  const run: Engine['run'] = async (statement, { signal, onStart }) => {
    if (isClosed) throw shutdownError();
    onStart?.();
    return withTimeLimit(signal, limits.engine.queryTimeoutMs, async (limit) => {
      const child = await open();
      const task = { kind: 'run', engine: number, statement } as const;
      return (await child.perform(task, limit)) as Result;
    });
  };

  return {
    dialect: 'duckdb' as const,
    open,
    run,
    async close() {
      isClosed = true;
      await opened?.child.perform({ kind: 'close', engine: number }).catch(() => {});
    },
  };
}

/** A child process with the tasks that it has not answered yet. */
interface Child {
  isAlive(): boolean;
  /**
   * Resolves to the answer. When the signal fires, the task is interrupted; half a second later the process is killed.
   * @throws the task's error; ServiceError `timeout` if the signal has fired; Error if the process has ended
   */
  perform(task: Task, signal?: AbortSignal): Promise<unknown>;
}

interface Waiting {
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: Error) => void;
}

function startChild(folder: string, limits: WorkerLimits): Child {
  const started = fork(program, ['testing', folder], {
    env: { TMPDIR: folder },
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const waiting = new Map<number, Waiting>();
  let ids = 0;
  let isAlive = true;
  const ended = (how: unknown) => {
    isAlive = false;
    const error = new SetupError([`the process that loads and queries logs has ended: ${how}`]);
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
  };
  started.once('error', ended).once('exit', (code, signal) => ended(signal ?? code));
  started.on('message', (reply: WorkerReply) => {
    const task = waiting.get(reply.id);
    if ('error' in reply) task?.reject(receiveError(reply.error));
    else task?.resolve(reply.value);
  });
  const send = (request: WorkerRequest) => void (isAlive && started.send(request, () => {}));
  const keepRunning = createKeepRunning(started);
  send({ kind: 'limits', limits });

  async function perform(task: Task, signal?: AbortSignal): Promise<unknown> {
    const id = ids++;
    const stop = stopOn(signal, () => send({ kind: 'stop', id }), started);
    const letGo = keepRunning();
    try {
      signal?.throwIfAborted();
      return await new Promise((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        send({ kind: 'task', id, task });
        if (!isAlive) reject(new SetupError(['the process that loads and queries logs has ended']));
      });
    } catch (error) {
      throw signal?.aborted ? stoppedError(signal) : error;
    } finally {
      waiting.delete(id);
      stop.dispose();
      letGo();
    }
  }

  return { isAlive: () => isAlive, perform };
}

/** Interrupts when the signal fires, and kills the process half a second later. */
function stopOn(signal: AbortSignal | undefined, interrupt: () => void, child: ChildProcess) {
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    interrupt();
    timer = setTimeout(() => child.kill('SIGKILL'), graceMs);
  };
  signal?.addEventListener('abort', stop, { once: true });
  return {
    dispose(): void {
      signal?.removeEventListener('abort', stop);
      clearTimeout(timer);
    },
  };
}

/** An idle child does not keep this process running; one with tasks does. Returns how to begin, which returns how to end. */
function createKeepRunning(child: ChildProcess): () => () => void {
  let users = 0;
  const update = () => {
    const change = users > 0 ? 'ref' : 'unref';
    child[change]();
    child.channel?.[change]();
  };
  update();
  return () => {
    users += 1;
    update();
    return () => {
      users -= 1;
      update();
    };
  };
}
