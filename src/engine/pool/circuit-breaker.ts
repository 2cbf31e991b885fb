import { LRUCache } from 'lru-cache';
import { digestOf } from '../../common/digest.js';
import { ServiceError } from '../../errors/errors.js';
import type { Statement } from '../engine.js';

/** Keeps a caller from ending one process after another. */
export interface Guard {
  /** @throws ServiceError `resourcesExceeded` for a statement that is refused for the moment */
  admit(caller: string, statement: Statement): void;
  /** Tells how a statement left its process. */
  report(caller: string, statement: Statement, killed: boolean): void;
}

/** How many processes in a row a caller may end. */
const most = 3;

/** For how long a statement is refused then, in milliseconds. */
const refusedMs = 60_000;

/**
 * A guard that refuses, for a minute and to one caller, the statement that ended a process as the
 * third in a row: of that caller's statements, or of this statement's runs between others.
 * `now` is a clock in milliseconds.
 */
export function createCircuitBreaker(now: () => number): Guard {
  const kills = new LRUCache<string, number>({ max: 10_000 });
  const refusedUntil = new LRUCache<string, number>({ max: 10_000 });
  const count = (key: string) => {
    const next = (kills.get(key) ?? 0) + 1;
    kills.set(key, next);
    return next;
  };
  return {
    admit(caller, { sql }) {
      if (refusedUntil.size === 0) return;
      const left = (refusedUntil.get(`${caller} ${digestOf(sql)}`) ?? 0) - now();
      if (left <= 0) return;
      const message = `This query was the last of ${most} in a row that ended their engine process (--query-timeout, --memory-limit); it is refused for ${Math.ceil(left / 1000)} more seconds`;
      throw new ServiceError('resourcesExceeded', message);
    },
    report(caller, { sql }, killed) {
      if (!killed && kills.size === 0) return;
      const one = `${caller} ${digestOf(sql)}`;
      if (!killed) for (const key of [caller, one]) kills.delete(key);
      else if (Math.max(count(caller), count(one)) >= most)
        refusedUntil.set(one, now() + refusedMs);
    },
  };
}
