import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors/errors.js';
import { digestText } from '../../process/digest.js';
import type { Statement } from '../engine.js';

/** Keeps a caller from killing one engine process after another. */
export type CircuitBreaker = ReturnType<typeof createCircuitBreaker>;

/** The number of kills in a row that trips the breaker. */
const maxKills = 3;

/** The time for which a statement is then refused, in milliseconds. */
const refusedMs = 60_000;

/**
 * Creates a breaker that refuses a statement to one caller for a minute after the third kill in a row: of that
 * caller's statements, or of that statement's own runs. `now` is a clock in milliseconds.
 */
export function createCircuitBreaker(now: () => number) {
  const kills = new LRUCache<string, number>({ max: 10_000 });
  const refusedUntil = new LRUCache<string, number>({ max: 10_000 });
  const count = (key: string) => {
    const next = (kills.get(key) ?? 0) + 1;
    kills.set(key, next);
    return next;
  };
  return {
    /** @throws ServiceError `resourcesExceeded` for a statement that is currently refused */
    admit(caller: string, { sql }: Statement): void {
      const left = (refusedUntil.get(`${caller} ${digestText(sql)}`) ?? 0) - now();
      if (left <= 0) return;
      const message = `This query was the last of ${maxKills} in a row that ended their engine process (--query-timeout, --memory-limit); it is refused for ${Math.ceil(left / 1000)} more seconds`;
      throw new ServiceError('resourcesExceeded', message);
    },
    /** Records whether a statement's process was killed. */
    report(caller: string, { sql }: Statement, killed: boolean): void {
      const run = `${caller} ${digestText(sql)}`;
      if (!killed) for (const key of [caller, run]) kills.delete(key);
      else if (Math.max(count(caller), count(run)) >= maxKills)
        refusedUntil.set(run, now() + refusedMs);
    },
  };
}
