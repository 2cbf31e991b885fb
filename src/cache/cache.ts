import type { Result, Statement } from '../engine/engine.js';
import { keyOf } from './cache-key.js';
import { bytesToRenew, createEntry, type Entry, isFresh } from './entry.js';
import type { Pace } from './renewals.js';
import { createSingleFlight, type Waiter } from './single-flight.js';
import { createStore, type Store, type StoreOptions } from './store.js';
import { createWarmer, type RenewalFailure, type Warm, type Warmer } from './warmer.js';

/** A lookup: the statement, and how long its rows may be cached. */
export interface CacheRequest {
  readonly endpoint: string;
  readonly statement: Statement;
  /** 0 disables caching. */
  readonly ttlSeconds: number;
  /** Absent if the rows are not renewed ahead of their expiry. */
  readonly warming?: Warming;
  /** Whether the request's clock was set; its instant is then part of the key. */
  readonly clockFixed: boolean;
  /** The version of the data that the statement was compiled for. */
  readonly dataVersion: string;
  /** The key of the caller's scope; scopes share no results. */
  readonly scope: string;
  /** Whether the statement has the same rows each time, as long as the data is the same. */
  readonly isRepeatable: boolean;
  readonly signal: AbortSignal;
  /** Any text that identifies the caller, so that no caller waits in another's queue. */
  readonly caller: string;
}

/** How rows are renewed while callers request them. */
export interface Warming {
  /** The interval between renewals; less than the time to live. */
  readonly warmSeconds: number;
  /** Recomputes the rows. It outlives the request, so its closure must not keep the request in memory. */
  readonly renew: Compute;
}

/** Rows and their age. */
export interface CachedResult {
  readonly result: Result;
  /** `STALE`: within the time to live, but the last renewal failed. `BYPASS`: the endpoint does not cache. */
  readonly state: 'MISS' | 'HIT' | 'STALE' | 'BYPASS';
  readonly ageSeconds: number;
  readonly secondsLeft: number;
  /** Repeats the lookup later without its request; undefined if nothing was cached. */
  readonly reread?: () => CachedResult | undefined;
}

/** Runs a statement; calls `onStart` once it leaves the queue, and stops when the signal fires. */
export type Compute = (signal: AbortSignal, onStart: () => void) => Promise<Result>;

/** Caches results by statement. */
export interface ResultCache {
  /** A cached result, or a computed one. Concurrent equal requests compute once; errors are not cached. */
  read(request: CacheRequest, compute: Compute): Promise<CachedResult>;
  stats(): CacheStats;
  /** Stops all renewals for good; reads still work. */
  close(): void;
}

/** The cache's contents, and its renewals since the start. */
export interface CacheStats {
  readonly entries: number;
  readonly bytes: number;
  readonly renewals: number;
  readonly failedRenewals: number;
}

/** What a cache depends on. */
export interface CacheOptions extends Pace, StoreOptions {
  /** The size of {@link createKept}'s results; 0 for none. */
  readonly maxKeptBytes: number;
  /** A monotonic clock, in milliseconds. */
  readonly now: () => number;
  readonly onRenewalFailure: RenewalFailure;
}

/** The part of a request that is kept as long as its rows are cached. */
interface Terms extends Warm {
  readonly dataVersion: string;
  /** Undefined if the rows are not renewed ahead of their expiry. */
  readonly renew: Compute | undefined;
  /** The memory that the renewal uses, in bytes. */
  readonly keptBytes: number;
}

/** Creates a cache of at most `maxBytes`; the least recently used or renewed entry is evicted first. */
export function createCache(options: CacheOptions): ResultCache {
  const { now } = options;
  const flights = createSingleFlight<Entry>();
  const store = createStore(options, (key) => warmer.cancel(key));
  const warmer = createWarmer<Terms>({ ...options, store, renew });
  const find = createFind({ store, warmer, now });
  const kept = createKept(options);

  function renew(terms: Terms, signal: AbortSignal): Promise<Entry> | undefined {
    if (terms.renew === undefined || flights.isRunning(terms.key)) return undefined;
    return compute(terms, terms.renew, { signal, caller: '' });
  }

  function compute(terms: Terms, run: Compute, waiter: Waiter): Promise<Entry> {
    return flights.join(terms.key, waiter, async (stop, onStart) => {
      const entry = createEntry(await run(stop, onStart), now(), terms.keptBytes);
      // Do not cache an abandoned computation: it may be incomplete.
      if (!stop.aborted) keep(terms, entry);
      return entry;
    });
  }

  function keep(terms: Terms, entry: Entry): void {
    const { key, dataVersion, renew } = terms;
    entry.requestedAtMs = store.peek(key)?.requestedAtMs ?? entry.requestedAtMs;
    if (store.put(key, entry, dataVersion) && renew !== undefined) warmer.plan(terms);
  }

  async function read(terms: Terms, run: Compute, waiter: Waiter): Promise<CachedResult> {
    const reread = createReread(terms, find);
    const cached = reread();
    if (cached !== undefined) return { ...cached, reread };
    let state: CachedResult['state'] = 'HIT';
    const runOwn: Compute = (stop, onStart) => {
      state = 'MISS';
      return run(stop, onStart);
    };
    const entry = await compute(terms, runOwn, waiter);
    return { ...toResult(state, entry, { ...terms, atMs: now() }), reread };
  }

  return {
    async read(request, run) {
      if (request.ttlSeconds > 0) return read(termsOf(request), run, request);
      return kept(request, () => run(request.signal, () => {}));
    },
    stats: () => ({ ...store.size(), ...warmer.counts() }),
    close: () => warmer.close(),
  };
}

type Kept = (request: CacheRequest, compute: () => Promise<Result>) => Promise<CachedResult>;

/**
 * Keeps the results of endpoints that do not cache: a statement that is repeated over the same data has the same rows, and
 * has them sooner.
 */
function createKept({ maxKeptBytes, dataVersion, now }: CacheOptions): Kept {
  if (maxKeptBytes === 0) return async (_request, compute) => bypass(await compute());
  const store = createStore({ maxBytes: maxKeptBytes, dataVersion }, () => {});
  const timings = { queueMs: 0, engineMs: 0, encodeMs: 0 };
  return async (request, compute) => {
    if (!request.isRepeatable) return bypass(await compute());
    const key = keyOf(request.statement, request);
    const reread = createRereadKept(store, key);
    const known = reread();
    if (known !== undefined) return { ...known, reread };
    const result = await compute();
    store.put(key, createEntry({ ...result, timings }, now(), 0), request.dataVersion);
    return { ...bypass(result), reread };
  };
}

/** A function of its own, so that its closure does not keep the request in memory. */
function createRereadKept(store: Pick<Store, 'get'>, key: string): () => CachedResult | undefined {
  return () => {
    const known = store.get(key);
    return known && bypass(known.result);
  };
}

function bypass(result: Result): CachedResult {
  return { result, state: 'BYPASS', ageSeconds: 0, secondsLeft: 0 };
}

type Find = (terms: Terms) => CachedResult | undefined;

interface FindOptions extends Pick<CacheOptions, 'now'> {
  readonly store: Pick<Store, 'get'>;
  readonly warmer: Pick<Warmer<Terms>, 'wake'>;
}

/** Looks up fresh rows, and keeps their renewals going. */
function createFind({ store, warmer, now }: FindOptions): Find {
  return (terms) => {
    const entry = store.get(terms.key);
    const atMs = now();
    if (entry === undefined || !isFresh(entry, terms.ttlMs, atMs)) return undefined;
    if (terms.renew !== undefined) warmer.wake(terms, entry);
    return toResult(entry.failures > 0 ? 'STALE' : 'HIT', entry, { ttlMs: terms.ttlMs, atMs });
  };
}

/** A function of its own, so that its closure does not keep the request in memory. */
function createReread(terms: Terms, find: Find): () => CachedResult | undefined {
  return () => find(terms);
}

function toResult(
  state: CachedResult['state'],
  entry: Entry,
  { ttlMs, atMs }: { readonly ttlMs: number; readonly atMs: number },
): CachedResult {
  entry.requestedAtMs = atMs;
  const ageSeconds = Math.floor((atMs - entry.computedAtMs) / 1000);
  const secondsLeft = Math.max(0, ttlMs / 1000 - ageSeconds);
  return { result: entry.result, state, ageSeconds, secondsLeft };
}

function termsOf(request: CacheRequest): Terms {
  const { endpoint, statement, ttlSeconds, warming, clockFixed, dataVersion, scope } = request;
  return {
    endpoint,
    dataVersion,
    key: keyOf(statement, { endpoint, clockFixed, dataVersion, scope }),
    ttlMs: ttlSeconds * 1000,
    warmMs: (warming?.warmSeconds ?? 0) * 1000,
    renew: warming?.renew,
    keptBytes: warming === undefined ? 0 : bytesToRenew(statement),
  };
}
