import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../errors.js';

/**
 * Lets a request through that carries a known token, from an address that may be empty; gives the
 * token's place among those known, which tells callers apart and nothing else.
 * @throws ServiceError `authError` (no token, or not a known one), `rateLimitExceeded` (wrong ones too often)
 */
export type Authenticate = (headers: Headers, address: string) => string;

const failuresAMinute = 20;

/**
 * The check of tokens against SHA-256 digests, in constant time. A known token passes also from an address
 * with many failures: callers behind one proxy share it. `now` is a clock in milliseconds.
 */
export function createAuthenticate(digests: readonly Buffer[], now: () => number): Authenticate {
  const failures = new LRUCache<string, { readonly since: number; readonly count: number }>({
    max: 10_000,
  });

  function fail(address: string): never {
    const last = failures.get(address);
    const fresh = last === undefined || now() - last.since >= 60_000;
    const next = fresh ? { since: now(), count: 1 } : { ...last, count: last.count + 1 };
    failures.set(address, next);
    if (next.count > failuresAMinute) {
      throw new ServiceError('rateLimitExceeded', 'Too many wrong tokens from this address');
    }
    throw unauthenticated();
  }

  return (headers, address) => {
    const token = readToken(headers);
    if (token === '') throw unauthenticated();
    const place = placeOf(token, digests);
    return place === undefined ? fail(address) : String(place);
  };
}

// One text for a token that is missing and for one that is wrong.
function unauthenticated(): ServiceError {
  return new ServiceError(
    'authError',
    'A known token is needed, as X-API-KEY: <token> or Authorization: Bearer <token>',
  );
}

function readToken(headers: Headers): string {
  const key = headers.get('x-api-key');
  if (key !== null) return key;
  return /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
}

function placeOf(token: string, digests: readonly Buffer[]): number | undefined {
  const digest = createHash('sha256').update(token).digest();
  // Every digest is compared, so that the time tells nothing of which one it was.
  return digests.flatMap((known, place) => (timingSafeEqual(known, digest) ? place : []))[0];
}
