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

/** A process that has grown larger does not stay, in bytes. */
const maxIdleBytes = 300_000_000;

/**
 * Runs short work one after another in one process, and starts others when work takes long, so that slow work delays nothing
 * else. An idle process ends after `keepMs`; it does not keep this process running.
 */
export function createLanes<T extends Tasks>(
  start: () => TaskProcess<T>,
  keepMs: number,
): Lanes<TaskProcess<T>> {
  type Child = TaskProcess<T>;
  const idle = new Map<Child, NodeJS.Timeout>();
  const waiting = new Set<(child: Child) => void>();
  let running = 0;

  const take = async (mustBeNew: boolean): Promise<Child> => {
    if (mustBeNew) return start();
    for (const [child, timer] of idle) {
      clearTimeout(timer);
      idle.delete(child);
      if (child.isAlive()) return child;
    }
    return running === 0 ? start() : waitForTurn();
  };

  const waitForTurn = () =>
    new Promise<Child>((resolve) => {
      const turn = (child: Child) => {
        clearTimeout(timer);
        waiting.delete(turn);
        resolve(child);
      };
      const timer = setTimeout(() => turn(start()), patienceMs);
      waiting.add(turn);
    });

  const giveBack = (child: Child) => {
    const [next] = waiting;
    const isFit = child.isAlive() && residentBytes(child.pid) < maxIdleBytes;
    if (next !== undefined) return next(isFit ? child : restart(child));
    if (!isFit || keepMs === 0) return child.end();
    idle.set(child, setTimeout(() => end(child), keepMs).unref());
  };

  const restart = (child: Child) => {
    child.end();
    return start();
  };

  const end = (child: Child) => {
    idle.delete(child);
    child.end();
  };

  return {
    async use(work, mustBeNew) {
      const taken = take(mustBeNew);
      running += 1;
      const child = await taken;
      try {
        return await work(child);
      } finally {
        running -= 1;
        giveBack(child);
      }
    },
  };
}
