import { untilStopped } from '../process/stop-errors.js';

/** One caller waiting for a computation. */
export interface Waiter {
  readonly signal: AbortSignal;
  /** Any string that identifies the caller. */
  readonly caller: string;
}

/** Computes a value; calls `onStart` once it leaves the queue, and stops when `stop` fires. */
export type SharedRun<T> = (stop: AbortSignal, onStart: () => void) => Promise<T>;

interface Flight<T> {
  readonly key: string;
  readonly caller: string;
  readonly outcome: Promise<T>;
  readonly abort: AbortController;
  readonly progress: { hasStarted: boolean };
  waiters: number;
}

/** Creates a group that runs one computation for each key at a time and shares its result. */
export function createSingleFlight<T>() {
  const flights = new Set<Flight<T>>();

  function start(key: string, caller: string, run: SharedRun<T>): Flight<T> {
    const abort = new AbortController();
    const progress = { hasStarted: false };
    const outcome = run(abort.signal, () => {
      progress.hasStarted = true;
    });
    const flight: Flight<T> = { key, caller, outcome, abort, progress, waiters: 0 };
    flights.add(flight);
    const remove = () => void flights.delete(flight);
    outcome.then(remove, remove);
    return flight;
  }

  /** Finds a computation that the caller may join. */
  function find(key: string, caller: string): Flight<T> | undefined {
    const equal = [...flights].filter((flight) => flight.key === key);
    const started = equal.find(({ progress }) => progress.hasStarted);
    return started ?? equal.find((flight) => flight.caller === caller);
  }

  function wait(flight: Flight<T>, signal: AbortSignal): Promise<T> {
    flight.waiters += 1;
    return untilStopped(flight.outcome, signal, () => signal.reason).finally(() => {
      flight.waiters -= 1;
      // Remove it before aborting: no one may join a computation that is being stopped.
      if (flight.waiters === 0 && flights.delete(flight)) flight.abort.abort();
    });
  }

  return {
    /** Whether a computation of this key is in flight. */
    isRunning: (key: string) => [...flights].some((flight) => flight.key === key),
    /**
     * Joins an in-flight computation for the key, or starts one with `run`.
     *
     * A waiter joins a computation that has started, or one that its own caller has queued; joining
     * another caller's queued one would make it wait behind all of that caller's work. So a key may have
     * one computation for each caller. A computation is aborted when its last waiter leaves.
     * @throws any error of `run`; the signal's reason if it fires
     */
    async join(key: string, { signal, caller }: Waiter, run: SharedRun<T>): Promise<T> {
      signal.throwIfAborted();
      return wait(find(key, caller) ?? start(key, caller, run), signal);
    },
  };
}
