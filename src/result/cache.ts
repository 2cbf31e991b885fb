import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Result, Statement } from '../engine/engine.js';

/** What is asked of the cache. */
export interface CacheRequest {
  readonly statement: Statement;
  /** 0 is never kept. */
  readonly ttlSeconds: number;
  /** True where the request's instant was given: it is then part of what was asked. */
  readonly clockFixed: boolean;
  /** Changes with the data under the sources. */
  readonly dataVersion: string;
  readonly signal: AbortSignal;
}

/** Rows, and how old they are. */
export interface CachedResult {
  readonly result: Result;
  /** `BYPASS`: the endpoint does not cache. */
  readonly state: 'MISS' | 'HIT' | 'BYPASS';
  readonly ageSeconds: number;
  readonly secondsLeft: number;
}

/** Runs a statement; what it runs stops when the signal fires. */
export type Compute = (signal: AbortSignal) => Promise<Result>;

/** Results by what was run. */
export interface ResultCache {
  /** A kept result, or the computed one. Errors are not kept; equal requests at one time compute once. */
  read(request: CacheRequest, compute: Compute): Promise<CachedResult>;
}

interface Entry {
  readonly result: Result;
  readonly computedAtMs: number;
}

/** One computation that any number of requests wait for. */
interface Flight {
  readonly entry: Promise<Entry>;
  readonly abort: AbortController;
  waiters: number;
}

/** A cache of at most `maxBytes` of rows; `now` is any clock in milliseconds that never goes back. */
export function createCache({
  maxBytes,
  now,
}: {
  readonly maxBytes: number;
  readonly now: () => number;
}): ResultCache {
  const entries = new LRUCache<string, Entry>({ maxSize: maxBytes, sizeCalculation: sizeOf });
  const flights = new Map<string, Flight>();

  async function compute(run: Compute, signal: AbortSignal): Promise<Entry> {
    const result = await run(signal);
    return { result, computedAtMs: now() };
  }

  function takeOff(key: string, run: Compute): Flight {
    const abort = new AbortController();
    const entry = compute(run, abort.signal);
    const flight = { entry, abort, waiters: 0 };
    const land = () => flights.get(key) === flight && flights.delete(key);
    entry.then(
      (done) => land() && entries.set(key, done),
      () => land(),
    );
    flights.set(key, flight);
    return flight;
  }

  async function board(key: string, flight: Flight, signal: AbortSignal): Promise<Entry> {
    flight.waiters += 1;
    try {
      return await untilAborted(flight.entry, signal);
    } finally {
      flight.waiters -= 1;
      // Whoever comes after the last one left must not board a computation that is being stopped.
      if (flight.waiters === 0 && flights.get(key) === flight) {
        flights.delete(key);
        flight.abort.abort();
      }
    }
  }

  return {
    async read({ statement, ttlSeconds, clockFixed, dataVersion, signal }, run) {
      if (ttlSeconds === 0) {
        return { result: await run(signal), state: 'BYPASS', ageSeconds: 0, secondsLeft: 0 };
      }
      const key = keyOf(statement, clockFixed, dataVersion);
      const kept = entries.get(key);
      if (kept !== undefined && now() - kept.computedAtMs < ttlSeconds * 1000) {
        return answer('HIT', kept, now() - kept.computedAtMs, ttlSeconds);
      }
      const shared = flights.get(key);
      const entry = await board(key, shared ?? takeOff(key, run), signal);
      return answer(
        shared === undefined ? 'MISS' : 'HIT',
        entry,
        now() - entry.computedAtMs,
        ttlSeconds,
      );
    },
  };
}

function answer(
  state: 'MISS' | 'HIT',
  { result }: Entry,
  ageMs: number,
  ttlSeconds: number,
): CachedResult {
  const ageSeconds = Math.floor(ageMs / 1000);
  return { result, state, ageSeconds, secondsLeft: Math.max(0, ttlSeconds - ageSeconds) };
}

function keyOf(statement: Statement, clockFixed: boolean, dataVersion: string): string {
  const { sql, values, maxRows, redact = false } = statement;
  const { now: instant, ...given } = values;
  const when = clockFixed ? instant : null;
  const asked = [sql, Object.entries(given), when, maxRows, redact, dataVersion];
  return createHash('sha256').update(JSON.stringify(asked)).digest('base64');
}

function sizeOf({ result }: Entry, key: string): number {
  return result.json.byteLength + key.length + 200;
}

function untilAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
