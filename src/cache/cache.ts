import type { Result, Statement } from '../engine/engine.js';
import { cacheKey, type KeyOptions } from './cache-key.js';
import {
  bytesToRenew,
  createEntry,
  type DataRead,
  type Entry,
  isFresh,
  type SentBodies,
} from './entry.js';
import { createSingleFlight, type Waiter } from './single-flight.js';
import { createStore, type Store, type StoreOptions } from './store.js';
import { createWarmer, type Pace, type RenewalFailure, type Warm } from './warmer.js';

/** A lookup: the statement, and the time for which its rows may be cached. */
export interface CacheRequest extends DataRead, KeyOptions, Waiter {
  readonly statement: Statement;
  /** 0 if the endpoint does not cache. */
  readonly ttlSeconds: number;
  /** Absent if the rows are not renewed ahead of their expiry. */
  readonly warming?: Warming;
  /** Whether the statement returns the same rows each time over the same data. */
  readonly isRepeatable: boolean;
}

/** The renewal of rows while callers request them. */
export interface Warming {
  /** The interval between renewals; less than the time to live. */
  readonly warmSeconds: number;
  /** Recomputes the rows. It outlives the request, so its closure must not keep the request in memory. */
  readonly renew: Compute;
}

/** Rows and their age. */
export interface CachedResult {
  readonly result: Result;
  /** The bodies in which the result was sent; they are kept as long as the result. */
  readonly sent: SentBodies;
  /** `STALE`: within the time to live, but the last renewal failed. `BYPASS`: the endpoint does not cache. */
  readonly state: 'MISS' | 'HIT' | 'STALE' | 'BYPASS';
  readonly ageSeconds: number;
  readonly secondsLeft: number;
}

/** Runs a statement; calls `onStart` once it leaves the queue, and stops when the signal fires. */
export type Compute = (signal: AbortSignal, onStart: () => void) => Promise<Result>;

/** A cache of results by statement. */
export type ResultCache = ReturnType<typeof createCache>;

/** The options of a cache. */
export interface CacheOptions extends Pace, StoreOptions {
  /** The maximum size of the results of endpoints that do not cache; 0 if they are not kept. */
  readonly maxKeptBytes: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly onRenewalFailure: RenewalFailure;
}

/** The part of a request that is kept as long as its rows are cached. */
interface Terms extends Warm, DataRead {
  /** Infinite for an endpoint that does not cache: its results are kept until the data changes. */
  readonly ttlMs: number;
  /** Undefined if the rows are not renewed ahead of their expiry. */
  readonly renew: Compute | undefined;
  /** The memory that the renewal uses, in bytes. */
  readonly keptBytes: number;
  readonly store: Store;
}

/** Creates a cache of at most `maxBytes`; the least recently used or renewed entry is evicted first. */
export function createCache(options: CacheOptions) {
  const { now, maxKeptBytes } = options;
  const flights = createSingleFlight<Entry>();
  const cached = createStore(options, (key) => warmer.cancel(key));
  // A store of its own, so that callers' queries never evict the results that an endpoint caches.
  const kept = maxKeptBytes > 0 && createStore({ ...options, maxBytes: maxKeptBytes }, () => {});
  const warmer = createWarmer<Terms>({ ...options, store: cached, renew });

  function renew(terms: Terms, signal: AbortSignal): Promise<Entry> | undefined {
    if (terms.renew === undefined || flights.isRunning(terms.key)) return undefined;
    return compute(terms, terms.renew, { signal, caller: '' });
  }

  function compute(terms: Terms, run: Compute, waiter: Waiter): Promise<Entry> {
    return flights.join(terms.key, waiter, async (stop, onStart) => {
      const entry = createEntry(await run(stop, onStart), now(), terms);
      // Do not keep an abandoned computation: it may be incomplete.
      if (!stop.aborted) keep(terms, entry);
      return entry;
    });
  }

  function keep(terms: Terms, entry: Entry): void {
    const { key, renew, store } = terms;
    entry.requestedAtMs = store.peek(key)?.requestedAtMs ?? entry.requestedAtMs;
    if (store.put(key, entry) && renew !== undefined) warmer.plan(terms);
  }

  /** Looks up fresh rows, and keeps their renewals going. */
  function find(terms: Terms): CachedResult | undefined {
    const entry = terms.store.get(terms.key);
    const atMs = now();
    if (entry === undefined || !isFresh(entry, terms.ttlMs, atMs)) return undefined;
    if (terms.renew !== undefined) warmer.wake(terms, entry);
    const found = toResult(entry.failures > 0 ? 'STALE' : 'HIT', entry, { ...terms, atMs });
    return { ...found, result: { ...entry.result, timings: noTime } };
  }

  async function read(terms: Terms, run: Compute, waiter: Waiter): Promise<CachedResult> {
    const found = find(terms);
    if (found !== undefined) return found;
    let state: CachedResult['state'] = 'HIT';
    const runOwn: Compute = (stop, onStart) => {
      state = 'MISS';
      return run(stop, onStart);
    };
    const entry = await compute(terms, runOwn, waiter);
    return toResult(state, entry, { ...terms, atMs: now() });
  }

  return {
    /**
     * Returns a kept result, or computes one. Concurrent equal requests compute once; errors are not kept. If an
     * endpoint does not cache, a repeatable statement still has the same rows over the same data, so they are kept
     * until the data changes.
     */
    async read(request: CacheRequest, run: Compute): Promise<CachedResult> {
      const store = request.ttlSeconds > 0 ? cached : request.isRepeatable && kept;
      if (store) return read(cacheTerms(request, store), run, request);
      return bypass({ result: await run(request.signal, () => {}), sent: new Map() });
    },
    /** The contents, and the renewals since the start. */
    stats: () => ({ ...cached.size(), ...warmer.counts() }),
    /** Stops all renewals for good; reads still work. */
    close: (): void => warmer.close(),
  };
}

const noTime = { queueMs: 0, engineMs: 0, encodeMs: 0 };

function bypass({ result, sent }: Pick<CachedResult, 'result' | 'sent'>): CachedResult {
  return { result, sent, state: 'BYPASS', ageSeconds: 0, secondsLeft: 0 };
}

function toResult(
  state: CachedResult['state'],
  entry: Entry,
  { ttlMs, atMs }: { readonly ttlMs: number; readonly atMs: number },
): CachedResult {
  entry.requestedAtMs = atMs;
  if (ttlMs === Number.POSITIVE_INFINITY) return bypass(entry);
  const ageSeconds = Math.floor((atMs - entry.computedAtMs) / 1000);
  const secondsLeft = Math.max(0, ttlMs / 1000 - ageSeconds);
  return { result: entry.result, sent: entry.sent, state, ageSeconds, secondsLeft };
}

function cacheTerms(request: CacheRequest, store: Store): Terms {
  const { endpoint, statement, ttlSeconds, warming, reads, dataVersion } = request;
  return {
    endpoint,
    reads,
    dataVersion,
    store,
    key: cacheKey(statement, request),
    ttlMs: ttlSeconds > 0 ? ttlSeconds * 1000 : Number.POSITIVE_INFINITY,
    warmMs: (warming?.warmSeconds ?? 0) * 1000,
    renew: warming?.renew,
    keptBytes: warming === undefined ? 0 : bytesToRenew(statement),
  };
}
