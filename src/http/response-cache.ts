import { hash } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { LRUCache } from 'lru-cache';
import type { Answer } from '../service/run-endpoint.js';

/** What of Node's request tells it from others. */
export type Head = Pick<IncomingMessage, 'method' | 'url' | 'rawHeaders'>;

/** Answers to requests that were asked before, byte for byte: nothing of them need be read again. */
export interface Recall {
  /** The rows that are kept for such a request, as old as they are now. */
  find(head: Head): Recalled | undefined;
  /** Has the next such request answered with the rows that are kept then. */
  remember(head: Head, answered: Recalled): void;
}

/** An answer, with what the log line says about its request. */
export interface Recalled {
  /** The name or identifier under which its endpoint was asked. */
  readonly endpoint: string;
  /** That of the token. */
  readonly label: string | undefined;
  readonly answer: Answer;
}

interface Kept extends Pick<Recalled, 'endpoint' | 'label'> {
  readonly again: NonNullable<Answer['again']>;
}

/** How many requests are remembered, the least recently asked out first. */
const most = 1_000;

/** Headers with which a request is read, since its answer may have no body, or other headers. */
const alwaysRead: ReadonlySet<string> = new Set([
  ...['if-none-match', 'origin', 'content-length', 'transfer-encoding', 'expect'],
]);

/** Remembers nothing yet; `headerPrefix` begins the service's own headers, `maxHeadBytes` is the most of all. */
export function createRecall(headerPrefix: string, maxHeadBytes: number): Recall {
  const kept = new LRUCache<string, Kept>({ max: most });
  const own = `${headerPrefix.toLowerCase()}-`;
  const counts = (name: string) =>
    name === 'x-api-key' || name === 'authorization' || name.startsWith(own);

  /** A digest of all of a request that its answer may depend on; undefined for one that is always read. */
  function keyOf({ method, url = '', rawHeaders }: Head): string | undefined {
    if (method !== 'GET') return undefined;
    let asked = url;
    let bytes = url.length;
    for (let place = 0; place < rawHeaders.length; place += 2) {
      const name = (rawHeaders[place] ?? '').toLowerCase();
      const value = rawHeaders[place + 1] ?? '';
      bytes += name.length + value.length + 4;
      if (alwaysRead.has(name)) return undefined;
      if (counts(name)) asked += `\n${name}: ${value}`;
    }
    // A token is among it, which is kept nowhere as it is.
    return bytes > maxHeadBytes ? undefined : hash('sha256', asked, 'base64url');
  }

  return {
    find(head) {
      const key = kept.size === 0 ? undefined : keyOf(head);
      const known = key === undefined ? undefined : kept.get(key);
      const answer = known?.again();
      if (key === undefined || known === undefined) return undefined;
      if (answer === undefined) {
        kept.delete(key);
        return undefined;
      }
      const { endpoint, label } = known;
      return { endpoint, label, answer: { ...answer, compileMs: 0, waitMs: 0 } };
    },
    remember(head, { endpoint, label, answer: { again } }) {
      const key = again === undefined ? undefined : keyOf(head);
      if (again === undefined || key === undefined) return;
      // A copy: a part of the URL would keep all of it.
      kept.set(key, { endpoint: Buffer.from(endpoint).toString(), label, again });
    },
  };
}
