/** Computations by key, each shared by all who ask for it while it runs. */
export interface Flights<T> {
  /** Whether a computation of this key runs that may be boarded. */
  isUp(key: string): boolean;
  /**
   * Waits for the computation of a key, which `run` starts where none is up. Whoever's signal fires
   * leaves; when nobody is left, the signal that `run` got fires and what it gives is for nobody.
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

  return {
    isUp: (key) => flights.has(key),
    async board(key, signal, run) {
      signal.throwIfAborted();
      const flight = flights.get(key) ?? takeOff(key, run);
      flight.waiters += 1;
      return untilAborted(flight.landed, signal).finally(() => leave(key, flight));
    },
  };
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
