import { createQueue } from '../../process/fair-queue.js';
import { residentBytes } from '../../process/memory.js';
import type { Tasks } from '../../process/messages.js';
import { createProcesses } from '../../process/processes.js';
import type { TaskProcess } from '../../process/task.js';

/**
 * The time for which work waits for a running process before another one starts, in milliseconds. Most loads take
 * longer.
 */
const patienceMs = 300;

/** The time, in milliseconds, after which a short task counts as long: another short one may then start beside it. */
const shortMs = 1_000;

/** The maximum number of running processes: one for short tasks and one for long ones. Each may use the memory of a load. */
export const maxLanes = 2;

/** The expected duration of a task. */
export type Duration = 'short' | 'long';

/** The maximum size of an idle process, in bytes; larger ones end. */
const maxIdleBytes = 200_000_000;

/**
 * Runs tasks one after another in one process. If a task waits for one of the other duration, a second process starts,
 * so that a long task, or a short one that turns out to be long, does not delay short ones. One idle process stays for
 * `keepMs`; it does not keep this process running.
 */
export function createLanes<T extends Tasks>(start: () => TaskProcess<T>, keepMs: number) {
  const processes = createProcesses({
    start: () => ({ ...start(), opened: Promise.resolve() }),
    max: 0,
    idleMs: keepMs,
  });
  let overdue = 0;
  const capacity = (maxRunning: number) => ({ maxRunning, maxRunningPerCaller: 1 + overdue });
  const queue = createQueue({ ...capacity(1), maxWaiting: Number.POSITIVE_INFINITY });
  const watchDuration = () => {
    let isOverdue = false;
    const timer = setTimeout(() => {
      isOverdue = true;
      overdue += 1;
      queue.resize(capacity(maxLanes));
    }, shortMs);
    return () => {
      clearTimeout(timer);
      if (!isOverdue) return;
      overdue -= 1;
      queue.resize(capacity(1));
    };
  };
  const isIdle = () => [...processes.all].filter((one) => one.isAlive()).length > queue.running;
  return {
    /** Runs a task in an idle process, or in a new one if `mustBeNew`. */
    async use<R>(
      work: (child: TaskProcess<T>) => Promise<R>,
      { duration, mustBeNew }: { readonly duration: Duration; readonly mustBeNew: boolean },
    ): Promise<R> {
      if (queue.running < maxLanes) queue.resize(capacity(1));
      const timer = setInterval(() => queue.resize(capacity(maxLanes)), patienceMs);
      const turn = { signal: neverAborted, caller: duration };
      const leave = await queue.enter(turn).finally(() => clearInterval(timer));
      const child = processes.take(mustBeNew);
      const endWatch = duration === 'short' ? watchDuration() : () => {};
      try {
        return await work(child);
      } finally {
        endWatch();
        if (keepMs === 0 || isIdle() || residentBytes(child.pid) > maxIdleBytes) child.end();
        processes.giveBack(child);
        leave();
      }
    },
  };
}

const neverAborted = new AbortController().signal;
