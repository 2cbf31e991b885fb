/** What a service is asked to do. After the end, each rejects. */
export interface Work {
  /** Changes the data, after the changes before. */
  inTurn(change: () => Promise<void>): Promise<void>;
  /** Reads, at the same time as everything else. */
  now<T>(read: () => Promise<T>): Promise<T>;
  /** Lets everything finish, and refuses what comes later. */
  end(): Promise<void>;
}

/**
 * Keeps changes in the order in which a test asks for them, awaited or not: a record that is written after a reset
 * must not be lost in it.
 */
export function createWork(): Work {
  const running = new Set<Promise<unknown>>();
  let last = Promise.resolve();
  let hasEnded = false;
  const now = async <T>(read: () => Promise<T>): Promise<T> => {
    if (hasEnded) throw new Error('The service is closed');
    const done = read();
    running.add(done);
    return done.finally(() => running.delete(done));
  };
  return {
    now,
    inTurn: (change) =>
      now(() => {
        const done = last.then(change);
        last = done.catch(() => {});
        return done;
      }),
    async end() {
      hasEnded = true;
      await Promise.allSettled(running);
    },
  };
}
