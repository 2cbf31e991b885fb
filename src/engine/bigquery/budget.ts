import { ServiceError } from '../../errors/errors.js';

/** What callers may be billed for in a day (in UTC). */
export interface Budget {
  /**
   * Sets bytes aside for a job: as many as asked for, or as are left of the day.
   * @throws ServiceError `rateLimitExceeded` if none are left
   */
  reserve(caller: string, bytes: number): Reservation;
  /** All bytes that were billed since the start. */
  readonly totalBytes: number;
}

/** The bytes that a job may be billed for. */
export interface Reservation {
  readonly bytes: number;
  /** Replaces the reserved bytes by those that the job was billed for. */
  settle(billedBytes: number): void;
}

/** Keeps the budgets of a day in memory: a restart forgets them. */
export function createBudget(maxBytesPerDay: number, today: () => string): Budget {
  let day = '';
  const used = new Map<string, number>();
  let totalBytes = 0;
  const usedBy = (caller: string) => {
    const now = today();
    if (now !== day) used.clear();
    day = now;
    return used.get(caller) ?? 0;
  };
  return {
    get totalBytes() {
      return totalBytes;
    },
    reserve(caller, wanted) {
      const left = maxBytesPerDay - usedBy(caller);
      if (left <= 0) throw budgetError('is used up, or reserved for queries that are running');
      const bytes = Math.min(wanted, left);
      const reservedOn = day;
      used.set(caller, usedBy(caller) + bytes);
      return {
        bytes,
        settle(billedBytes) {
          totalBytes += billedBytes;
          const before = usedBy(caller);
          // The reservations of an earlier day are gone.
          if (day === reservedOn) used.set(caller, before - bytes + billedBytes);
        },
      };
    },
  };
}

/** An error that says what is the matter with the budget of a caller. */
export function budgetError(problem: string, cause?: unknown): ServiceError {
  const message = `This token's budget for the day ${problem} (--bigquery-max-bytes-per-day)`;
  return new ServiceError('rateLimitExceeded', message, { cause });
}
