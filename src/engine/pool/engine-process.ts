import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { builtPath } from '../../common/package-paths.js';
import { receiveError } from '../../common/sent-error.js';
import { stoppedError } from '../../common/stop-errors.js';
import { ServiceError, SetupError, StatementFault } from '../../errors/errors.js';
import { digestOf } from '../digest.js';
import type { Result, Statement } from '../engine.js';
import {
  type EngineProcessOptions,
  type EngineReply,
  type EngineRequest,
  memorySignal,
} from './engine-messages.js';

/** One engine process, which runs one statement at a time. */
export interface EngineProcess {
  /** Settles once it accepts statements. @throws SetupError if it cannot open */
  readonly opened: Promise<void>;
  /**
   * Runs a statement. When the signal fires, the engine is interrupted; half a second later the process is killed.
   * @throws ServiceError as {@link Engine.run} does
   */
  run(statement: Statement, signal: AbortSignal): Promise<Result>;
  /** Whether it accepts another statement. */
  isAlive(): boolean;
  /** Whether it ended while a statement ran: by a time or memory limit, or in a crash. */
  wasKilled(): boolean;
  /** Its resident memory, divided by its resident memory after opening. */
  growth(): number;
  end(): void;
  /** Settles when the process has ended. */
  readonly ended: Promise<unknown>;
}

const program = builtPath('child.js');

/**
 * The environment of a process, which has nothing of ours. DuckDB is called on libuv's thread pool; with one thread, each
 * call finds the caches of the last one warm. So nothing else in the process may need the pool while a statement runs.
 */
const environment = { UV_THREADPOOL_SIZE: '1' } as const;

/** How long an interrupted statement may go on before its process is killed, in milliseconds. */
const graceMs = 500;

/** The time limit for opening a process, in milliseconds; it usually takes 250. */
const maxOpenMs = 30_000;

/** How often the memory of a running process is checked from outside, in milliseconds. */
const watchMs = 20;

/** The memory a process must have left to be used again, in bytes; a quarter of its limit, if that is less. */
const minFreeBytes = 200_000_000;

/** How a process ended: its signal or its exit code. */
type End = NodeJS.Signals | number;

interface Child {
  readonly process: ChildProcess;
  readonly maxResidentBytes: number;
  readonly ended: Promise<End>;
  /** Settles with the reason if it could not be started; otherwise never. */
  readonly failed: Promise<unknown>;
  isAlive: boolean;
  wasKilled: boolean;
  isOverMemory: boolean;
  /** Its resident memory after opening. */
  openBytes: number;
}

/** Opens a database in a process. */
export type StartEngine = (options: EngineProcessOptions) => EngineProcess;

/** Starts the built `child.js` in an environment of its own. */
export const startEngineProcess: StartEngine = (options) => {
  try {
    const child = startChild(options);
    return child.process.pid === undefined
      ? notStarted(child.failed)
      : engineProcess(child, options);
  } catch (error) {
    return notStarted(Promise.resolve(error));
  }
};

/** Starts a process before its database is known; if it has ended by then, another one is started. */
export function prepareEngineProcess(
  limits: Pick<EngineProcessOptions, 'maxResidentBytes'>,
): StartEngine {
  try {
    const child = startChild(limits);
    return (options) =>
      child.isAlive ? engineProcess(child, options) : startEngineProcess(options);
  } catch {
    return startEngineProcess;
  }
}

/** The result for a process that could not be started, for lack of memory, file descriptors or processes. */
function notStarted(failed: Promise<unknown>): EngineProcess {
  const opened = failed.then((error): never => {
    throw new SetupError([`an engine process cannot be started: ${String(error)}`]);
  });
  return {
    opened,
    ended: Promise.resolve(),
    isAlive: () => false,
    wasKilled: () => false,
    growth: () => 0,
    end: () => {},
    run: () => opened,
  };
}

function engineProcess(child: Child, options: EngineProcessOptions): EngineProcess {
  return {
    opened: open(child, options),
    isAlive: () => child.isAlive,
    wasKilled: () => child.wasKilled,
    growth: () => residentBytes(child.process.pid) / Math.max(1, child.openBytes),
    end: () => end(child),
    ended: child.ended,
    run: (statement, signal) => run(child, statement, signal),
  };
}

function startChild({ maxResidentBytes }: Pick<EngineProcessOptions, 'maxResidentBytes'>): Child {
  const started = fork(program, ['engine'], {
    env: environment,
    execArgv: [],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const failed = new Promise<unknown>((resolve) => started.once('error', resolve));
  const ended = new Promise<End>((resolve) => {
    started.once('error', () => resolve(1));
    started.once('exit', (code, signal) => resolve(signal ?? code ?? 1));
  });
  const child: Child = {
    process: started,
    maxResidentBytes,
    ended,
    failed,
    isAlive: true,
    wasKilled: false,
    isOverMemory: false,
    openBytes: 0,
  };
  void ended.then((how) => {
    child.isAlive = false;
    child.isOverMemory ||= how === memorySignal;
  });
  return child;
}

function end(child: Child): void {
  child.isAlive = false;
  child.process.kill('SIGKILL');
}

function endOverMemory(child: Child): void {
  child.isOverMemory = true;
  end(child);
}

async function run(child: Child, statement: Statement, signal: AbortSignal): Promise<Result> {
  const watch = setInterval(() => {
    if (residentBytes(child.process.pid) > child.maxResidentBytes) endOverMemory(child);
  }, watchMs);
  let timer: NodeJS.Timeout | undefined;
  const stop = () => {
    send(child, { kind: 'stop' });
    timer = setTimeout(() => end(child), graceMs);
  };
  signal.addEventListener('abort', stop, { once: true });
  try {
    signal.throwIfAborted();
    const reply = await ask(child, { kind: 'run', statement }, ['result', 'error']);
    if (typeof reply === 'object' && reply.kind === 'result') return reply.result;
    child.wasKilled = typeof reply !== 'object';
    if (child.isOverMemory) throw outOfMemory();
    if (signal.aborted) throw stoppedError(signal);
    throw typeof reply === 'object' ? errorOf(reply) : crashed(reply, statement);
  } catch (error) {
    throw error === signal.reason ? stoppedError(signal) : error;
  } finally {
    clearInterval(watch);
    clearTimeout(timer);
    if (isFull(child)) end(child);
    signal.removeEventListener('abort', stop);
  }
}

/** Whether so little memory is left that the next statement might fail. */
function isFull({ process, maxResidentBytes }: Child): boolean {
  const free = maxResidentBytes - residentBytes(process.pid);
  return free < Math.min(minFreeBytes, maxResidentBytes / 4);
}

async function open(child: Child, options: EngineProcessOptions): Promise<void> {
  const timer = setTimeout(() => end(child), maxOpenMs);
  const reply = await ask(child, { kind: 'open', options }, ['open', 'closed']).finally(() =>
    clearTimeout(timer),
  );
  if (typeof reply !== 'object') {
    throw new SetupError([`an engine process ended by ${reply} while it started`]);
  }
  if (reply.kind === 'closed') throw new SetupError(reply.lines);
  child.openBytes = residentBytes(child.process.pid);
}

/** Resolves to the first reply of these kinds, or to how the process ended before it. */
function ask(
  child: Child,
  request: EngineRequest,
  kinds: readonly EngineReply['kind'][],
): Promise<EngineReply | End> {
  const { process: started } = child;
  return new Promise((resolve) => {
    const settle = (answer: EngineReply | End) => {
      started.off('message', take).off('exit', onEnd).off('error', onEnd);
      resolve(answer);
    };
    const take = (message: EngineReply) => {
      if (kinds.includes(message.kind)) settle(message);
    };
    // Racing against `ended` itself would keep every reply in memory until the process ends.
    const onEnd = () => void child.ended.then(settle);
    started.on('message', take).on('exit', onEnd).on('error', onEnd);
    if (!child.isAlive) onEnd();
    send(child, request);
  });
}

/** Ignores that the process may have ended: its `ended` promise reports that. */
function send(child: Child, request: EngineRequest): void {
  child.process.send(request, () => {});
}

function errorOf(reply: EngineReply): Error {
  if (reply.kind === 'error') return receiveError(reply.error);
  return new Error(`an engine process answered with ${reply.kind}`);
}

function outOfMemory(): ServiceError {
  return new ServiceError(
    'resourcesExceeded',
    'The query needs more memory than its limit (--memory-limit)',
  );
}

function crashed(how: NodeJS.Signals | number, { sql }: Statement): StatementFault {
  const digest = digestOf(sql).slice(0, 16);
  return new StatementFault('an engine process crashed', {
    kind: `ended by ${how}`,
    digest,
    cause: undefined,
  });
}

/** The resident memory of another process in bytes; 0 if the system does not show it. */
function residentBytes(pid: number | undefined): number {
  try {
    const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
    return Number(pages ?? 0) * 4096;
  } catch {
    return 0;
  }
}
