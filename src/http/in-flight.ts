import { ServiceError } from '../errors/errors.js';

/** Counts the requests that run, and lets no more in once the server is to end. */
export interface Gate {
  readonly open: boolean;
  /** Runs the work as one that a closing gate waits for. @throws ServiceError `backendBusy` when closed */
  pass<T>(work: () => Promise<T>): Promise<T>;
  /** Closes it; settles when nothing runs any more. */
  close(): Promise<void>;
}

/** An open gate. */
export function createGate(): Gate {
  let open = true;
  let running = 0;
  let empty = () => {};
  const emptied = new Promise<void>((resolve) => {
    empty = resolve;
  });
  const settle = () => !open && running === 0 && empty();
  return {
    get open() {
      return open;
    },
    async pass(work) {
      if (!open) throw new ServiceError('backendBusy', 'The server is shutting down');
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        settle();
      }
    },
    close() {
      open = false;
      settle();
      return emptied;
    },
  };
}
