import { type CacheRequest, createCache } from '../../src/cache/cache.js';
import type { Result, Statement } from '../../src/engine/engine.js';
import { createClock, settle } from './clock.js';

/** The statement that the requests of the tests run. */
export const statement: Statement = {
  sql: 'select 1',
  tables: [],
  values: { p_a: 'x' },
  maxRows: 10,
};

const timings = { queueMs: 1, engineMs: 2, encodeMs: 3 };

/** Rows of that text. */
export function resultOf(text: string): Result {
  return {
    format: 'json',
    body: new TextEncoder().encode(text),
    rowCount: 1,
    truncated: false,
    timings,
  };
}

/** A request of a minute's time to live. */
export function requestFor(more: Partial<CacheRequest> = {}): CacheRequest {
  return {
    endpoint: 'e',
    statement,
    ttlSeconds: 60,
    clockFixed: false,
    isRepeatable: true,
    dataVersion: '1',
    signal: new AbortController().signal,
    caller: 'a',
    scope: '',
    ...more,
  };
}

/** The options of a cache that a test may set. */
export interface Options {
  readonly maxBytes?: number;
  readonly maxKeptBytes?: number;
  /** The number of renewals that could start now. */
  readonly spare?: () => number;
}

/** A cache at a clock that stands still; `runs` is how often something was computed. */
export function createFixture({
  maxBytes = 1_000_000,
  maxKeptBytes = 1_000_000,
  spare = () => 4,
}: Options = {}) {
  const clock = createClock();
  const failed: string[] = [];
  let version = '1';
  let runs = 0;
  const cache = createCache({
    maxBytes,
    maxKeptBytes,
    spare,
    now: clock.now,
    schedule: clock.schedule,
    // Only the source `other` never changes.
    dataVersion: (reads) => (reads?.join() === 'other' ? '1' : version),
    onRenewalFailure: (endpoint, error) => failed.push(`${endpoint}: ${error}`),
  });
  const read = (request = requestFor(), text = '[{"a":1}]') =>
    cache.read(request, async () => {
      runs += 1;
      return resultOf(text);
    });
  const setVersion = (next: string) => {
    version = next;
  };
  return { cache, clock, read, failed, setVersion, wait: clock.wait, runs: () => runs };
}

/** Work that ends when told to, what began first first; `runs` is how often it was begun. */
export function createLanding() {
  const flights: { finish(result: Result): void; fail(error: Error): void }[] = [];
  let begun = 0;
  let stopped: AbortSignal | undefined;
  const compute = (signal: AbortSignal, onStart = () => {}) => {
    stopped = signal;
    onStart();
    begun += 1;
    return new Promise<Result>((finish, fail) => flights.push({ finish, fail }));
  };
  return {
    compute,
    finish: async (text = '[]') => {
      flights.shift()?.finish(resultOf(text));
      await settle();
    },
    fail: async (error: Error) => {
      flights.shift()?.fail(error);
      await settle();
    },
    isStopped: () => stopped?.aborted,
    runs: () => begun,
    running: () => flights.length,
  };
}
