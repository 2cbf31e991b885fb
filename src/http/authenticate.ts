import { createHash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { Scope } from '../endpoint/scope.js';
import { ServiceError } from '../errors/errors.js';

/** A token that the server knows, as the SHA-256 of it. */
export interface KnownToken {
  readonly digest: Buffer;
  /** What the log calls its requests. */
  readonly label?: string;
  readonly scope: Scope;
}

/** Who asks: whoever has the token. */
export interface Caller extends Pick<KnownToken, 'label' | 'scope'> {
  /** The token's place among those known: it tells callers apart and nothing else. */
  readonly id: string;
}

/**
 * Lets a request through that carries a known token, from an address that may be empty.
 * @throws ServiceError `authError` (no token, or not a known one), `rateLimitExceeded` (wrong ones too often)
 */
export type Authenticate = (headers: Headers, address: string) => Caller;

const failuresAMinute = 20;

/**
 * The check of tokens against SHA-256 digests, in constant time. A known token passes also from an address
 * with many failures: callers behind one proxy share it. `now` is a clock in milliseconds.
 */
export function createAuthenticate(tokens: readonly KnownToken[], now: () => number): Authenticate {
  const callers = tokens.map(({ digest: _, ...caller }, place) => ({ ...caller, id: `${place}` }));
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
    return callers[placeOf(token, tokens)] ?? fail(address);
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

/** -1 where it is none of them. */
function placeOf(token: string, tokens: readonly KnownToken[]): number {
  const digest = createHash('sha256').update(token).digest();
  // Every digest is compared, so that the time tells nothing of which one it was.
  return tokens.map((known) => timingSafeEqual(known.digest, digest)).indexOf(true);
}
