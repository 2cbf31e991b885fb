import { ServiceError } from '../../errors/errors.js';

/** What callers may be billed for in a day (in UTC). */
export interface Budget {
  /** @throws ServiceError `rateLimitExceeded` for a caller who has used up the day's budget */
  admit(caller: string): void;
  spend(caller: string, bytes: number): void;
  /** All bytes that were billed since the start. */
  readonly totalBytes: number;
}

/** Keeps the budgets of a day in memory: a restart forgets them. */
export function createBudget(maxBytesPerDay: number, today: () => string): Budget {
  let day = '';
  const spent = new Map<string, number>();
  let totalBytes = 0;
  const bytesOf = (caller: string) => {
    const now = today();
    if (now !== day) spent.clear();
    day = now;
    return spent.get(caller) ?? 0;
  };
  return {
    get totalBytes() {
      return totalBytes;
    },
    admit(caller) {
      if (bytesOf(caller) < maxBytesPerDay) return;
      const message = "The day's budget of this token is used up (--bigquery-max-bytes-per-day)";
      throw new ServiceError('rateLimitExceeded', message);
    },
    spend(caller, bytes) {
      spent.set(caller, bytesOf(caller) + bytes);
      totalBytes += bytes;
    },
  };
}
