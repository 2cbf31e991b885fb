import { parseTimestamp, printTimestamp } from '../endpoint/timestamp.js';

/** The clock that gives requests their time. */
export type TestClock = ReturnType<typeof createClock>;

/** Creates a clock that is fixed at a time, or follows `Date.now()` without one. */
export function createClock(start: string | undefined) {
  let fixed = start;
  return {
    /** `YYYY-MM-DDTHH:MM:SS.ffffff+00:00` */
    now: (): string => fixed ?? printTimestamp(Date.now()),
    /** Without a time, follows `Date.now()` again. @throws RangeError */
    set(instant?: string | Date): void {
      const now = instant === undefined ? undefined : parseTimestamp(printInstant(instant));
      if (now === undefined && instant !== undefined)
        throw new RangeError(`setNow: not an ISO 8601 timestamp: ${instant}`);
      fixed = now;
    },
    /** Returns to the time at the start. */
    reset(): void {
      fixed = start;
    },
  };
}

/** Prints a time in ISO 8601. */
export function printInstant(instant: string | Date): string {
  return typeof instant === 'string' ? instant : instant.toISOString();
}
