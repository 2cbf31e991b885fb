import type { Result, Statement } from '../engine/engine.js';
import { keyOf } from './cache-key.js';
import { bytesToRenew, createEntry, type Entry, isFresh } from './entry.js';
import type { Pace } from './renewals.js';
import { createFlights, type Passenger } from './single-flight.js';
import { createStore, type Store, type StoreOptions } from './store.js';
import { createWarmer, type RenewalFailure, type Warm, type Warmer } from './warmer.js';

/** What is asked of the cache. */
export interface CacheRequest {
  readonly endpoint: string;
  readonly statement: Statement;
  /** 0 is never kept. */
  readonly ttlSeconds: number;
  /** Absent where rows are not renewed ahead of their end. */
  readonly warming?: Warming;
  /** True where the request's instant was given: it is then part of what was asked. */
  readonly clockFixed: boolean;
  /** That of the data that the statement was compiled for. */
  readonly dataVersion: string;
  /** The key of the caller's scope: scopes share no results. */
  readonly scope: string;
  readonly signal: AbortSignal;
  /** Tells callers apart: none waits for another's turn. */
  readonly caller: string;
}

/** How rows are renewed while they are asked for. */
export interface Warming {
  /** Less than the time to live. */
  readonly warmSeconds: number;
  /** Computes the rows of now; it outlives the request, so it may hold nothing of it but what it runs. */
  readonly renew: Compute;
}

/** Rows, and how old they are. */
export interface CachedResult {
  readonly result: Result;
  /** `STALE`: within the time to live, but the last renewal failed. `BYPASS`: the endpoint does not cache. */
  readonly state: 'MISS' | 'HIT' | 'STALE' | 'BYPASS';
  readonly ageSeconds: number;
  readonly secondsLeft: number;
  /** The rows that are kept for the same request at a later time; undefined where none are. */
  readonly again?: () => CachedResult | undefined;
}

/** Runs a statement, and says when its turn has come; what it runs stops when the signal fires. */
export type Compute = (signal: AbortSignal, onStart: () => void) => Promise<Result>;

/** Results by what was run. */
export interface ResultCache {
  /** A kept result, or the computed one. Errors are not kept; equal requests at one time compute once. */
  read(request: CacheRequest, compute: Compute): Promise<CachedResult>;
  /** What is kept, and the renewals since the start. */
  stats(): CacheStats;
  /** Stops all renewals for good; it still answers. */
  close(): void;
}

/** What a cache holds and what it did of itself. */
export interface CacheStats {
  readonly entries: number;
  readonly bytes: number;
  readonly renewals: number;
  readonly failedRenewals: number;
}

/** What a cache needs of the world. */
export interface CacheOptions extends Pace, StoreOptions {
  /** Any clock in milliseconds that never goes back. */
  readonly now: () => number;
  readonly onRenewalFailure: RenewalFailure;
}

/** What of a request lives as long as its rows. */
interface Terms extends Warm {
  readonly dataVersion: string;
  /** Absent where rows are not renewed ahead of their end. */
  readonly renew: Compute | undefined;
  /** Bytes that its renewal keeps. */
  readonly keptBytes: number;
}

/** A cache of at most `maxBytes`, the least recently used out first; a renewal is a use. */
export function createCache(options: CacheOptions): ResultCache {
  const { now } = options;
  const flights = createFlights<Entry>();
  const store = createStore(options, (key) => warmer.cancel(key));
  const warmer = createWarmer<Terms>({ ...options, store, renew });
  const find = createFind({ store, warmer, now });

  function renew(terms: Terms, signal: AbortSignal): Promise<Entry> | undefined {
    if (terms.renew === undefined || flights.isUp(terms.key)) return undefined;
    return fly(terms, terms.renew, { signal, caller: '' });
  }

  function fly(terms: Terms, run: Compute, passenger: Passenger): Promise<Entry> {
    return flights.board(terms.key, passenger, async (stop, onStart) => {
      const entry = createEntry(await run(stop, onStart), now(), terms.keptBytes);
      // What everybody left is not kept: it may be half of what was asked for.
      if (!stop.aborted) keep(terms, entry);
      return entry;
    });
  }

  function keep(terms: Terms, entry: Entry): void {
    const { key, dataVersion, renew } = terms;
    entry.askedAtMs = store.peek(key)?.askedAtMs ?? entry.askedAtMs;
    if (store.put(key, entry, dataVersion) && renew !== undefined) warmer.plan(terms);
  }

  async function read(terms: Terms, run: Compute, passenger: Passenger): Promise<CachedResult> {
    const again = againOf(terms, find);
    const kept = again();
    if (kept !== undefined) return { ...kept, again };
    let state: CachedResult['state'] = 'HIT';
    const runOwn: Compute = (stop, onStart) => {
      state = 'MISS';
      return run(stop, onStart);
    };
    const entry = await fly(terms, runOwn, passenger);
    return { ...answer(state, entry, { ...terms, atMs: now() }), again };
  }

  return {
    async read(request, run) {
      if (request.ttlSeconds > 0) return read(termsOf(request), run, request);
      const result = await run(request.signal, () => {});
      return { result, state: 'BYPASS', ageSeconds: 0, secondsLeft: 0 };
    },
    stats: () => ({ ...store.size(), ...warmer.counts() }),
    close: () => warmer.close(),
  };
}

type Find = (terms: Terms) => CachedResult | undefined;

interface Kept extends Pick<CacheOptions, 'now'> {
  readonly store: Pick<Store, 'use'>;
  readonly warmer: Pick<Warmer<Terms>, 'wake'>;
}

/** Finds rows that are kept, and has them renewed when they are due. */
function createFind({ store, warmer, now }: Kept): Find {
  return (terms) => {
    const kept = store.use(terms.key);
    const atMs = now();
    if (kept === undefined || !isFresh(kept, terms.ttlMs, atMs)) return undefined;
    if (terms.renew !== undefined) warmer.wake(terms, kept);
    return answer(kept.failures > 0 ? 'STALE' : 'HIT', kept, { ...terms, atMs });
  };
}

/** Made apart from what a request holds: it may be kept for long. */
function againOf(terms: Terms, find: Find): () => CachedResult | undefined {
  return () => find(terms);
}

function answer(
  state: CachedResult['state'],
  entry: Entry,
  { ttlMs, atMs }: { readonly ttlMs: number; readonly atMs: number },
): CachedResult {
  entry.askedAtMs = atMs;
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
