import type { Result, Statement } from '../engine/engine.js';

/** A body as it is sent. */
export interface SentBody {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly etag: string;
  /** The content coding; absent if it is not compressed. */
  readonly coding?: string;
}

/** The bodies of one result, by content coding; each is created when it is first sent. */
export type SentBodies = Map<string | undefined, Promise<SentBody>>;

/** The names of the sources that a statement reads; undefined if they are not known. */
export type EntryReads = readonly string[] | undefined;

/** The data that a result was computed from. */
export interface DataRead {
  readonly reads?: EntryReads;
  /** The version of the sources. */
  readonly dataVersion: string;
}

/** A kept result. */
export interface Entry extends DataRead {
  readonly result: Result;
  readonly sent: SentBodies;
  /** On the cache's clock. */
  readonly computedAtMs: number;
  /** Its memory, including what its renewal keeps. */
  readonly bytes: number;
  /** The time of the last read, on the cache's clock. */
  requestedAtMs: number;
  /** The number of renewals that have failed since it was computed. */
  failures: number;
}

/** The overhead of an entry and of a planned renewal, in bytes; measured: 1,400 and 900. */
const entryBytes = 1500;
const renewalBytes = 1000;

/** The memory of a planned renewal: its parameter values; other renewals of the endpoint share the statement's text. */
export function bytesToRenew({ values }: Statement): number {
  return Object.values(values).reduce((sum, value) => sum + 2 * (value?.length ?? 0), renewalBytes);
}

/** An entry for a result computed at `atMs`. */
export function createEntry(
  result: Result,
  atMs: number,
  { keptBytes, reads, dataVersion }: DataRead & { readonly keptBytes: number },
): Entry {
  const { buffer, byteLength } = result.body;
  // Copy rows that are a small part of the message from the engine process: a view would keep the whole message in
  // memory.
  const isSmallPart = byteLength < 0.9 * buffer.byteLength;
  const own = isSmallPart ? { ...result, body: result.body.slice() } : result;
  // The sent bodies are a copy in an envelope, and two compressed copies of up to half its size.
  const bytes = 3 * byteLength + keptBytes + entryBytes;
  const times = { computedAtMs: atMs, requestedAtMs: atMs };
  const read = { reads, dataVersion };
  return { result: own, sent: new Map(), bytes, ...read, ...times, failures: 0 };
}

/** Whether an entry is within its time to live. */
export function isFresh({ computedAtMs }: Entry, ttlMs: number, atMs: number): boolean {
  return atMs - computedAtMs < ttlMs;
}
