import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Answer } from '../service/run-endpoint.js';

/** The parts of Node's request that form the key. */
export type RequestHead = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>;

/**
 * Maps requests to cached results, so that a repeated request skips authentication, decoding, binding
 * and compiling. Without it a cached endpoint answers less than half as many requests per second.
 */
export interface ResponseCache {
  /** The answer to an equal request, if the result cache still holds its rows. */
  find(head: RequestHead): CachedResponse | undefined;
  /** Lets {@link find} answer equal requests; answers that were not cached are ignored. */
  add(head: RequestHead, response: CachedResponse): void;
}

/** An answer, and the facts about its request for the log line. */
export interface CachedResponse {
  /** The name or identifier in the request's path. */
  readonly endpoint: string;
  /** The label of the caller's token. */
  readonly label: string | undefined;
  readonly answer: Answer;
}

interface Entry extends Pick<CachedResponse, 'endpoint' | 'label'> {
  readonly name: string;
  readonly columns: Answer['columns'];
  readonly reread: NonNullable<Answer['reread']>;
}

/** How many requests are kept; the least recently used is evicted first. */
const maxEntries = 1_000;

/** A request with one of these headers bypasses the cache: its response may lack a body or differ in headers. */
const bypassHeaders: ReadonlySet<string> = new Set([
  ...['if-none-match', 'origin', 'content-length', 'transfer-encoding', 'expect'],
]);

/** The headers on which an answer depends, besides the service's own. */
const keyHeaders: ReadonlySet<string> = new Set([
  ...['x-api-key', 'authorization', 'accept', 'accept-encoding'],
]);

/**
 * Creates an empty cache.
 * @param headerPrefix the prefix of the service's own request headers
 * @param maxHeadBytes requests whose URL and headers exceed this are left to the app, which refuses them
 */
export function createResponseCache(headerPrefix: string, maxHeadBytes: number): ResponseCache {
  const entries = new LRUCache<string, Entry>({ max: maxEntries });
  const ownPrefix = `${headerPrefix.toLowerCase()}-`;
  const isKeyHeader = (name: string) => keyHeaders.has(name) || name.startsWith(ownPrefix);

  /** A digest of everything the answer may depend on, or undefined for a request that bypasses the cache. */
  function keyOf({ method, url = '', rawHeaders }: RequestHead): string | undefined {
    if (method !== 'GET') return undefined;
    let text = url;
    let bytes = url.length;
    for (let index = 0; index < rawHeaders.length; index += 2) {
      const name = (rawHeaders[index] ?? '').toLowerCase();
      const value = rawHeaders[index + 1] ?? '';
      bytes += name.length + value.length + 4;
      if (bypassHeaders.has(name)) return undefined;
      if (isKeyHeader(name)) text += `\n${name}: ${value}`;
    }
    // Hashed because it contains the token, which must not stay in memory.
    return bytes > maxHeadBytes ? undefined : hash('sha256', text, 'base64url');
  }

  return {
    find(head) {
      const key = entries.size === 0 ? undefined : keyOf(head);
      const entry = key === undefined ? undefined : entries.get(key);
      if (key === undefined || entry === undefined) return undefined;
      const { endpoint, label, name, columns, reread } = entry;
      const result = reread();
      if (result !== undefined) {
        const answer = { ...result, endpoint: name, columns, compileMs: 0, waitMs: 0 };
        return { endpoint, label, answer };
      }
      entries.delete(key);
      return undefined;
    },
    add(head, { endpoint, label, answer: { reread, endpoint: name, columns } }) {
      const key = reread === undefined ? undefined : keyOf(head);
      if (reread === undefined || key === undefined) return;
      // Copy the name: a substring would keep the whole URL in memory.
      entries.set(key, {
        endpoint: Buffer.from(endpoint).toString(),
        label,
        name,
        columns,
        reread,
      });
    },
  };
}
