/** What a service is asked to do. After the end, each rejects. */
export type Work = ReturnType<typeof createWork>;

/**
 * Keeps changes in the order in which a test asks for them, awaited or not: a record that is written after a reset
 * must not be lost in it.
 */
export function createWork() {
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
    /** Reads, at the same time as everything else. */
    now,
    /** Changes the data, after the changes before. */
    inTurn: (change: () => Promise<void>): Promise<void> =>
      now(() => {
        const done = last.then(change);
        last = done.catch(() => {});
        return done;
      }),
    /** Lets everything finish, and refuses what comes later. */
    async end(): Promise<void> {
      hasEnded = true;
      await Promise.allSettled(running);
    },
  };
}
