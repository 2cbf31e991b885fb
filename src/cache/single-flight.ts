import { ServiceError } from '../errors/errors.js';

/** Computations by key, each shared by all who ask for it while it runs. */
export interface Flights<T> {
  /** Whether a computation of this key is up. */
  isUp(key: string): boolean;
  /**
   * Waits for the computation of a key, which `run` starts where none is up that may be boarded: one
   * that has begun, or of the same caller. Who waits for another's turn would wait behind all that
   * this one has asked for: so each caller has one, and the first to land lands all.
   * Whoever's signal fires leaves; when nobody is left, the signal that `run` got fires and what it
   * gives is for nobody. A computation that was turned away for want of a place was so as its first
   * caller's: whoever boarded it tries once more.
   * @throws whatever `run` throws; the reason of the signal
   */
  board(key: string, passenger: Passenger, run: Run<T>): Promise<T>;
}

/** Who waits for a computation. */
export interface Passenger {
  readonly signal: AbortSignal;
  /** Any text that tells callers apart. */
  readonly caller: string;
}

/** Computes; it says when it has begun, and stops when the signal fires. */
export type Run<T> = (stop: AbortSignal, onStart: () => void) => Promise<T>;

interface Flight<T> {
  readonly key: string;
  readonly caller: string;
  readonly landed: Promise<T>;
  readonly abort: AbortController;
  readonly progress: { hasBegun: boolean };
  waiters: number;
}

/** The computations of one key, by caller. */
interface Group<T> {
  readonly flights: Map<string, Flight<T>>;
  /** What the first of them gave. */
  readonly first: Promise<T>;
  readonly land: (value: T) => void;
}

/** No computation yet. */
export function createFlights<T>(): Flights<T> {
  const groups = createGroups<T>();

  function takeOff(key: string, caller: string, run: Run<T>): Flight<T> {
    const abort = new AbortController();
    const progress = { hasBegun: false };
    const landed = run(abort.signal, () => {
      progress.hasBegun = true;
    });
    const flight: Flight<T> = { key, caller, landed, abort, progress, waiters: 0 };
    const group = groups.add(flight);
    landed.then(
      (value) => groups.remove(flight) && group.land(value),
      () => groups.remove(flight),
    );
    return flight;
  }

  async function wait(flight: Flight<T>, signal: AbortSignal): Promise<T> {
    const first = groups.get(flight.key)?.first;
    flight.waiters += 1;
    const landed = first === undefined ? flight.landed : Promise.race([flight.landed, first]);
    return untilAborted(landed, signal).finally(() => {
      flight.waiters -= 1;
      // Whoever comes after the last one left must not board a computation that is being stopped.
      if (flight.waiters === 0 && groups.remove(flight)) flight.abort.abort();
    });
  }

  return {
    isUp: (key) => groups.get(key) !== undefined,
    async board(key, { signal, caller }, run) {
      signal.throwIfAborted();
      const shared = groups.find(key, caller);
      if (shared === undefined) return wait(takeOff(key, caller, run), signal);
      return wait(shared, signal).catch((error: unknown) => {
        if (!isTurnedAway(error)) throw error;
        return wait(groups.find(key, caller) ?? takeOff(key, caller, run), signal);
      });
    },
  };
}

/** The computations that are up. */
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
    /** False where it is gone already. */
    remove(flight: Flight<T>): boolean {
      const { key, caller } = flight;
      const flights = groups.get(key)?.flights;
      if (flights?.get(caller) !== flight) return false;
      flights.delete(caller);
      if (flights.size === 0) groups.delete(key);
      return true;
    },
    /** One that a caller may board. */
    find(key: string, caller: string): Flight<T> | undefined {
      const flights = groups.get(key)?.flights;
      const begun = [...(flights?.values() ?? [])].find(({ progress }) => progress.hasBegun);
      return begun ?? flights?.get(caller);
    },
  };
}

function createGroup<T>(): Group<T> {
  let land: (value: T) => void = () => {};
  const first = new Promise<T>((resolve) => {
    land = resolve;
  });
  return { flights: new Map(), first, land };
}

function isTurnedAway(error: unknown): boolean {
  return error instanceof ServiceError && error.faults[0].reason === 'backendBusy';
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
