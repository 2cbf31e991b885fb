import { ServiceError } from '../errors/errors.js';

/** Runs one computation for each key at a time and shares its result. */
export interface SingleFlight<T> {
  /** Whether a computation of this key is in flight. */
  isRunning(key: string): boolean;
  /**
   * Joins an in-flight computation for the key, or starts one with `run`.
   *
   * A waiter joins a computation that has started, or one that its own caller has queued; joining
   * another caller's queued one would make it wait behind all of that caller's work. So a key may have
   * one computation for each caller, and the first result settles them all. A computation is aborted
   * when its last waiter leaves. When a computation is refused as `backendBusy`, which depends on the
   * caller that started it, those who joined it try once more.
   * @throws any error of `run`; the signal's reason if it fires
   */
  join(key: string, waiter: Waiter, run: Run<T>): Promise<T>;
}

/** One caller waiting for a computation. */
export interface Waiter {
  readonly signal: AbortSignal;
  /** Any text that identifies the caller. */
  readonly caller: string;
}

/** Computes a value; calls `onStart` once it leaves the queue, and stops when `stop` fires. */
export type Run<T> = (stop: AbortSignal, onStart: () => void) => Promise<T>;

interface Flight<T> {
  readonly key: string;
  readonly caller: string;
  readonly outcome: Promise<T>;
  readonly abort: AbortController;
  readonly progress: { hasStarted: boolean };
  waiters: number;
}

/** The computations of one key, by caller. */
interface Group<T> {
  readonly flights: Map<string, Flight<T>>;
  /** The first result of any of them. */
  readonly first: Promise<T>;
  readonly settle: (value: T) => void;
}

/** Creates a single-flight group with nothing in flight. */
export function createSingleFlight<T>(): SingleFlight<T> {
  const groups = createGroups<T>();

  function start(key: string, caller: string, run: Run<T>): Flight<T> {
    const abort = new AbortController();
    const progress = { hasStarted: false };
    const outcome = run(abort.signal, () => {
      progress.hasStarted = true;
    });
    const flight: Flight<T> = { key, caller, outcome, abort, progress, waiters: 0 };
    const group = groups.add(flight);
    outcome.then(
      (value) => groups.remove(flight) && group.settle(value),
      () => groups.remove(flight),
    );
    return flight;
  }

  async function wait(flight: Flight<T>, signal: AbortSignal): Promise<T> {
    const first = groups.get(flight.key)?.first;
    flight.waiters += 1;
    const outcome = first === undefined ? flight.outcome : Promise.race([flight.outcome, first]);
    return untilAborted(outcome, signal).finally(() => {
      flight.waiters -= 1;
      // Remove it before aborting: no one may join a computation that is being stopped.
      if (flight.waiters === 0 && groups.remove(flight)) flight.abort.abort();
    });
  }

  return {
    isRunning: (key) => groups.get(key) !== undefined,
    async join(key, { signal, caller }, run) {
      signal.throwIfAborted();
      const shared = groups.find(key, caller);
      if (shared === undefined) return wait(start(key, caller, run), signal);
      return wait(shared, signal).catch((error: unknown) => {
        if (!isBusy(error)) throw error;
        return wait(groups.find(key, caller) ?? start(key, caller, run), signal);
      });
    },
  };
}

/** The computations in flight. */
function createGroups<T>() {
  const groups = new Map<string, Group<T>>();
  return {
    get: (key: string) => groups.get(key),
    add(flight: Flight<T>): Group<T> {
      const group = groups.get(flight.key) ?? createGroup<T>();
      group.flights.set(flight.caller, flight);
      groups.set(flight.key, group);
      return group;
    },
    /** Returns false if it has been removed before. */
    remove(flight: Flight<T>): boolean {
      const { key, caller } = flight;
      const flights = groups.get(key)?.flights;
      if (flights?.get(caller) !== flight) return false;
      flights.delete(caller);
      if (flights.size === 0) groups.delete(key);
      return true;
    },
    /** A computation that the caller may join. */
    find(key: string, caller: string): Flight<T> | undefined {
      const flights = groups.get(key)?.flights;
      const started = [...(flights?.values() ?? [])].find(({ progress }) => progress.hasStarted);
      return started ?? flights?.get(caller);
    },
  };
}

function createGroup<T>(): Group<T> {
  let settle: (value: T) => void = () => {};
  const first = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { flights: new Map(), first, settle };
}

function isBusy(error: unknown): boolean {
  return error instanceof ServiceError && error.faults[0].reason === 'backendBusy';
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}
