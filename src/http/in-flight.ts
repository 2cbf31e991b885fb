import { ServiceError } from '../errors/errors.js';

/** Counts the requests in flight, and refuses new ones once the server drains. */
export interface InFlight {
  readonly isDraining: boolean;
  /** Fires when the server drains. */
  readonly draining: AbortSignal;
  /** Runs one request, which {@link drain} waits for. @throws ServiceError `backendBusy` while draining */
  run<T>(work: () => Promise<T>): Promise<T>;
  /** Refuses new requests from now on; settles once none is in flight. */
  drain(): Promise<void>;
}

/** Creates the counter, with nothing in flight. */
export function createInFlight(): InFlight {
  const draining = new AbortController();
  let running = 0;
  let onDrained = () => {};
  const drained = new Promise<void>((resolve) => {
    onDrained = resolve;
  });
  const settle = () => draining.signal.aborted && running === 0 && onDrained();
  return {
    draining: draining.signal,
    get isDraining() {
      return draining.signal.aborted;
    },
    async run(work) {
      if (draining.signal.aborted)
        throw new ServiceError('backendBusy', 'The server is shutting down');
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        settle();
      }
    },
    drain() {
      draining.abort();
      settle();
      return drained;
    },
  };
}
