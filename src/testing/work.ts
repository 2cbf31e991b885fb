/** The work of a service. After the end, each call rejects. */
export type Work = ReturnType<typeof createWork>;

/** Keeps changes in the order of the calls, awaited or not: a record written after a reset must not be lost in it. */
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
    /** Reads concurrently with everything else. */
    now,
    /** Changes the data, after all earlier changes. */
    inTurn: (change: () => Promise<void>): Promise<void> =>
      now(() => {
        const done = last.then(change);
        last = done.catch(() => {});
        return done;
      }),
    /** Lets everything finish, and refuses later work. */
    async end(): Promise<void> {
      hasEnded = true;
      await Promise.allSettled(running);
    },
  };
}
