import type { CompileData } from './compile-messages.js';
import type { CompileThread } from './compile-thread.js';

/** Threads that compile, as many as may work at one time, each started before anybody needs it. */
export interface CompileThreads {
  /** Starts those that are missing. */
  prepare(): void;
  /** Gives all of them data, and those that start later the latest. */
  open(data: CompileData): void;
  /** One for a query, which may still be starting. @throws Error where none can be started */
  take(): CompileThread;
  /** One that has done its work, or has ended. */
  giveBack(thread: CompileThread): void;
  /** How many have ended, other than by {@link end}. */
  restarts(): number;
  /** Ends all; settles when they are gone. */
  end(why: Error): Promise<void>;
}

/** `count` threads that `start` starts; one that has ended is replaced once it is given back. */
export function createThreads(count: number, start: () => CompileThread): CompileThreads {
  const all = new Set<CompileThread>();
  const idle = new Set<CompileThread>();
  let latest: CompileData | undefined;
  let restarts = 0;
  let isClosed = false;

  function startOne(): CompileThread {
    const thread = start();
    all.add(thread);
    if (latest !== undefined) void thread.open(latest).catch(() => undefined);
    void thread.ended.then(() => {
      all.delete(thread);
      idle.delete(thread);
      if (!isClosed) restarts += 1;
    });
    return thread;
  }

  function prepare(): void {
    const alive = [...all].filter((thread) => thread.isAlive()).length;
    try {
      for (let missing = count - alive; missing > 0 && !isClosed; missing--) idle.add(startOne());
    } catch {
      // No more threads can be started now: whoever needs one hears why.
    }
  }

  return {
    prepare,
    open(data) {
      latest = data;
      for (const thread of all) void thread.open(data).catch(() => undefined);
    },
    take() {
      const alive = [...idle].filter((one) => one.isAlive());
      const thread = alive.find((one) => one.isReady()) ?? alive[0] ?? startOne();
      idle.delete(thread);
      return thread;
    },
    giveBack(thread) {
      if (thread.isAlive()) idle.add(thread);
      else prepare();
    },
    restarts: () => restarts,
    async end(why) {
      isClosed = true;
      const threads = [...all];
      for (const thread of threads) thread.end(why);
      await Promise.all(threads.map(({ ended }) => ended));
    },
  };
}
