import { shutdownError } from '../process/stop-errors.js';

/** Creates a counter of the requests in flight, which refuses new ones once the server drains. */
export function createInFlight() {
  const draining = new AbortController();
  const { signal }: { readonly signal: AbortSignal } = draining;
  let running = 0;
  let onDrained = () => {};
  const drained = new Promise<void>((resolve) => {
    onDrained = resolve;
  });
  const settle = () => signal.aborted && running === 0 && onDrained();
  return {
    /** Fires when the server drains. */
    draining: signal,
    /** Runs one request, which `drain` waits for. @throws ServiceError `backendBusy` while draining */
    async run<T>(work: () => Promise<T>): Promise<T> {
      if (signal.aborted) throw shutdownError();
      running += 1;
      try {
        return await work();
      } finally {
        running -= 1;
        settle();
      }
    },
    /** Refuses new requests from now on; settles when none is in flight. */
    drain(): Promise<void> {
      draining.abort();
      settle();
      return drained;
    },
  };
}
