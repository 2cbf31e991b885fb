import { shutdownError } from './stop-errors.js';

/** Runs tasks on a connection one after another: a prepared statement has only one value at a time. */
export function createSequence(connection: { closeSync(): void }) {
  let isClosed = false;
  let last: Promise<unknown> = Promise.resolve();
  return {
    /** @throws ServiceError `backendBusy` after {@link close} */
    async run<T>(task: () => Promise<T>): Promise<T> {
      if (isClosed) throw shutdownError();
      const done = last.then(task);
      last = done.catch(() => {});
      return done;
    },
    /** Waits for the current task, and closes the connection. */
    async close(): Promise<void> {
      isClosed = true;
      await last;
      connection.closeSync();
    },
  };
}
