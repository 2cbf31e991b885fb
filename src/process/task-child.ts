import { SetupError } from '../errors/errors.js';
import { lowerPriority } from './lower-priority.js';
import type { Reply, Request, TaskContext, Tasks } from './messages.js';
import { sendError } from './sent-error.js';

/** The options of a child process. */
export interface ChildOptions {
  /** Runs if the parent has ended, before this process ends. */
  readonly cleanUp?: () => void;
  /** Whether it keeps the priority of its parent; by default it is lower. */
  readonly hasSamePriority?: boolean;
}

/**
 * The main function of a child process: performs tasks until its parent ends it or has ended.
 * @throws SetupError if the process has no parent to talk to
 */
export function performTasks(tasks: Tasks, options: ChildOptions = {}): Promise<never> {
  if (process.send === undefined) {
    throw new SetupError(['this is an internal command that only the program itself starts']);
  }
  const endOrphaned = () => {
    options.cleanUp?.();
    endNow();
  };
  process.once('disconnect', endOrphaned);
  // The parent may have disconnected before the listener was added.
  if (!process.connected) endOrphaned();
  if (!options.hasSamePriority) lowerPriority();
  // A terminal signals child processes too, but the parent decides when they end.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {});
  const running = new Map<number, AbortController>();
  process.on('message', (request: Request) => {
    if ('stop' in request) running.get(request.stop)?.abort();
    else void perform(tasks, request, running);
  });
  return new Promise<never>(() => {});
}

/** Ends this process at once, although a call of DuckDB may be running. */
export function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

type TaskRequest = Extract<Request, { readonly task: string }>;

async function perform(
  tasks: Tasks,
  { id, task, input }: TaskRequest,
  running: Map<number, AbortController>,
): Promise<void> {
  const stop = new AbortController();
  running.set(id, stop);
  const report = (progress: unknown) => send({ id, progress });
  const context: TaskContext<unknown> = { signal: stop.signal, report };
  try {
    // The casts are safe: the parent sends what the types of the tasks require.
    send({ id, result: await tasks[task]?.(input as never, context as never) });
  } catch (error) {
    send({ id, error: sendError(error) });
  } finally {
    running.delete(id);
  }
}

/** Ignores errors because the parent may have ended: `disconnect` reports that. */
function send(reply: Reply): void {
  process.send?.(reply, () => {});
}
