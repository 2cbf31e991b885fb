import type { Result, Statement } from '../engine/engine.js';

/** Rows that are kept. */
export interface Entry {
  readonly result: Result;
  /** Of the cache's clock. */
  readonly computedAtMs: number;
  /** What they take in memory, with what their renewal needs. */
  readonly bytes: number;
  /** When they were last asked for. */
  askedAtMs: number;
  /** Renewals that failed since they were computed. */
  failures: number;
}

/** What an entry takes beside its rows, its key among it, and what a planned renewal takes: 550 and 900 were measured. */
const ownBytes = 600;
const renewalBytes = 1000;

/** What a planned renewal keeps. The statement's text is the compiler's, its values are its own. */
export function bytesToRenew({ values }: Statement): number {
  return Object.values(values).reduce((sum, value) => sum + 2 * (value?.length ?? 0), renewalBytes);
}

/** Rows computed just now. */
export function createEntry(result: Result, atMs: number, keptBytes: number): Entry {
  const own = inOwnMemory(result);
  // The answer keeps them once more, in their envelope.
  const bytes = 2 * own.json.byteLength + keptBytes + ownBytes;
  return { result: own, computedAtMs: atMs, bytes, askedAtMs: atMs, failures: 0 };
}

// What came from another process is a view into all that was read from it at once: a few bytes would keep that.
function inOwnMemory(result: Result): Result {
  const { buffer, byteLength } = result.json;
  return buffer.byteLength === byteLength ? result : { ...result, json: result.json.slice() };
}

/** Whether rows are within their time to live. */
export function isFresh({ computedAtMs }: Entry, ttlMs: number, atMs: number): boolean {
  return atMs - computedAtMs < ttlMs;
}
