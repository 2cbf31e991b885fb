import { residentBytes } from '../../process/memory.js';
import type { Tasks } from '../../process/messages.js';
import type { TaskProcess } from '../../process/task.js';

/** Processes that each perform one task at a time. */
export interface Lanes<Child> {
  /** Runs work in an idle process, or in a new one if it must be. */
  use<Result>(work: (child: Child) => Promise<Result>, mustBeNew: boolean): Promise<Result>;
}

/** Work waits this long for a running process before another one is started, in milliseconds: less than most loads take. */
const patienceMs = 300;

/** No more processes run at once: each may use the memory of a load. */
export const maxLanes = 2;

/** A process that has grown larger does not stay, in bytes. */
const maxIdleBytes = 200_000_000;

function isFit<T extends Tasks>(child: TaskProcess<T>): boolean {
  return child.isAlive() && residentBytes(child.pid) < maxIdleBytes;
}

/**
 * Runs short work one after another in one process, and starts others when work takes long, so that slow work delays nothing
 * else. One idle process stays for `keepMs`; it does not keep this process running.
 */
export function createLanes<T extends Tasks>(
  start: () => TaskProcess<T>,
  keepMs: number,
): Lanes<TaskProcess<T>> {
  type Child = TaskProcess<T>;
  const idle = new Map<Child, NodeJS.Timeout>();
  const waiting = new Set<(child: Child) => void>();
  /** How many processes are at work. */
  let busy = 0;

  const atWork = (child: Child) => {
    busy += 1;
    return child;
  };

  const take = async (mustBeNew: boolean): Promise<Child> => {
    if (mustBeNew) return atWork(start());
    for (const [child, timer] of idle) {
      clearTimeout(timer);
      idle.delete(child);
      if (child.isAlive()) return atWork(child);
    }
    return busy === 0 ? atWork(start()) : waitForTurn();
  };

  const waitForTurn = () =>
    new Promise<Child>((resolve) => {
      const turn = (child: Child) => {
        clearTimeout(timer);
        waiting.delete(turn);
        resolve(child);
      };
      const timer = setTimeout(() => {
        if (busy < maxLanes) turn(atWork(start()));
      }, patienceMs);
      waiting.add(turn);
    });

  const giveBack = (child: Child) => {
    const [next] = waiting;
    const isStaying = isFit(child) && (next !== undefined || (keepMs > 0 && idle.size === 0));
    if (!isStaying) child.end();
    if (next !== undefined) return next(isStaying ? child : start());
    busy -= 1;
    const end = () => {
      idle.delete(child);
      child.end();
    };
    if (isStaying) idle.set(child, setTimeout(end, keepMs).unref());
  };

  return {
    async use(work, mustBeNew) {
      const child = await take(mustBeNew);
      try {
        return await work(child);
      } finally {
        giveBack(child);
      }
    },
  };
}
