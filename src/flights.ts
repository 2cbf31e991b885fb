import { ServiceError } from './errors.js';

/** Computations by key, each shared by all who ask for it while it runs. */
export interface Flights<T> {
  /** Whether a computation of this key runs that may be boarded. */
  isUp(key: string): boolean;
  /**
   * Waits for the computation of a key, which `run` starts where none is up. Whoever's signal fires
   * leaves; when nobody is left, the signal that `run` got fires and what it gives is for nobody.
   * A computation that was turned away for want of a place was so as its first caller's: whoever
   * boarded it tries once more.
   * @throws whatever `run` throws; the reason of the signal
   */
  board(key: string, signal: AbortSignal, run: (stop: AbortSignal) => Promise<T>): Promise<T>;
}

interface Flight<T> {
  readonly landed: Promise<T>;
  readonly abort: AbortController;
  waiters: number;
}

/** No computation yet. */
export function createFlights<T>(): Flights<T> {
  const flights = new Map<string, Flight<T>>();

  function takeOff(key: string, run: (stop: AbortSignal) => Promise<T>): Flight<T> {
    const abort = new AbortController();
    const flight = { landed: run(abort.signal), abort, waiters: 0 };
    const land = () => flights.get(key) === flight && flights.delete(key);
    flight.landed.then(land, land);
    flights.set(key, flight);
    return flight;
  }

  function leave(key: string, flight: Flight<T>): void {
    flight.waiters -= 1;
    // Whoever comes after the last one left must not board a computation that is being stopped.
    if (flight.waiters > 0 || flights.get(key) !== flight) return;
    flights.delete(key);
    flight.abort.abort();
  }

  async function wait(key: string, flight: Flight<T>, signal: AbortSignal): Promise<T> {
    flight.waiters += 1;
    return untilAborted(flight.landed, signal).finally(() => leave(key, flight));
  }

  return {
    isUp: (key) => flights.has(key),
    async board(key, signal, run) {
      signal.throwIfAborted();
      const shared = flights.get(key);
      if (shared === undefined) return wait(key, takeOff(key, run), signal);
      return wait(key, shared, signal).catch((error: unknown) => {
        if (!isTurnedAway(error)) throw error;
        return wait(key, flights.get(key) ?? takeOff(key, run), signal);
      });
    },
  };
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
