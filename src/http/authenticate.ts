import { hash, timingSafeEqual } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { AccessToken } from '../config/tokens.js';
import { ServiceError } from '../errors/errors.js';

/** A token that the server accepts, as its SHA-256. */
export type KnownToken = Pick<AccessToken, 'digest' | 'label' | 'scope'>;

/** The caller, identified by its token. */
export interface Caller extends Pick<KnownToken, 'label' | 'scope'> {
  /** Identifies the caller: the index of its token. */
  readonly id: string;
}

/**
 * Identifies the caller of a request by its token; the address may be empty.
 * @throws ServiceError `authError` (no token, or an unknown one), `rateLimitExceeded` (too many wrong tokens)
 */
export type Authenticate = (headers: Headers, address: string) => Caller;

const maxFailuresAMinute = 20;

/**
 * Checks tokens against SHA-256 digests in constant time. A known token is accepted even from an address with
 * many failures, because callers behind one proxy share an address. `now` is a clock in milliseconds.
 */
export function createAuthenticate(tokens: readonly KnownToken[], now: () => number): Authenticate {
  const callers = tokens.map(({ digest: _, ...caller }, index) => ({ ...caller, id: `${index}` }));
  const failures = new LRUCache<string, { readonly since: number; readonly count: number }>({
    max: 10_000,
  });

  function fail(address: string): never {
    const last = failures.get(address);
    const isNew = last === undefined || now() - last.since >= 60_000;
    const next = isNew ? { since: now(), count: 1 } : { ...last, count: last.count + 1 };
    failures.set(address, next);
    if (next.count > maxFailuresAMinute) {
      throw new ServiceError('rateLimitExceeded', 'Too many wrong tokens from this address');
    }
    throw unauthenticated();
  }

  return (headers, address) => {
    const token = readToken(headers);
    if (token === '') throw unauthenticated();
    return callers[findTokenIndex(token, tokens)] ?? fail(address);
  };
}

// A missing token and a wrong one get the same message.
function unauthenticated(): ServiceError {
  return new ServiceError(
    'authError',
    'A valid token is required: X-API-KEY: <token> or Authorization: Bearer <token>',
  );
}

function readToken(headers: Headers): string {
  const key = headers.get('x-api-key');
  if (key !== null) return key;
  return /^bearer +(\S+)$/i.exec(headers.get('authorization') ?? '')?.[1] ?? '';
}

/** Returns the index of a known token, or -1. */
function findTokenIndex(token: string, tokens: readonly KnownToken[]): number {
  const digest = hash('sha256', token, 'buffer');
  // Compare with every digest, so that the time does not reveal which one matches.
  return tokens.map((known) => timingSafeEqual(known.digest, digest)).indexOf(true);
}
