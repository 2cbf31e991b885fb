import { ServiceError } from '../../errors/errors.js';

/** The daily budget of each caller, for days in UTC. */
export type Budget = ReturnType<typeof createBudget>;

/** Keeps the daily budgets in memory: a restart resets them. */
export function createBudget(maxBytesPerDay: number, today: () => string) {
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
    /** The total bytes billed since the start. */
    get totalBytes(): number {
      return totalBytes;
    },
    /**
     * Reserves bytes for a job: as many as requested, or as many as are left of the day.
     * @throws ServiceError `rateLimitExceeded` if none are left
     */
    reserve(caller: string, wanted: number) {
      const left = maxBytesPerDay - usedBy(caller);
      if (left <= 0) throw budgetError('is used up, or reserved for queries that are running');
      const bytes = Math.min(wanted, left);
      const reservedOn = day;
      used.set(caller, usedBy(caller) + bytes);
      return {
        bytes,
        /** Replaces the reserved bytes with the billed bytes. */
        settle(billedBytes: number): void {
          totalBytes += billedBytes;
          const before = usedBy(caller);
          // Reservations of an earlier day no longer count.
          if (day === reservedOn) used.set(caller, before - bytes + billedBytes);
        },
      };
    },
  };
}

/** Returns an error that describes a problem with a caller's budget. */
export function budgetError(problem: string, cause?: unknown): ServiceError {
  const message = `This token's budget for the day ${problem} (--bigquery-max-bytes-per-day)`;
  return new ServiceError('rateLimitExceeded', message, { cause });
}
