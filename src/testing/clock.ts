import { parseTimestamp, printTimestamp } from '../endpoint/timestamp.js';

/** The instant of every request. */
export interface Clock {
  /** `YYYY-MM-DDTHH:MM:SS.ffffff+00:00` */
  now(): string;
  /** Without an instant, follows `Date.now()` again. @throws RangeError */
  set(instant?: string | Date): void;
  /** Returns to the instant at the start. */
  reset(): void;
}

/** Creates a clock that is fixed at an instant, or that follows `Date.now()` without one. */
export function createClock(start: string | undefined): Clock {
  let fixed = start;
  return {
    now: () => fixed ?? printTimestamp(Date.now()),
    set(instant) {
      const now = instant === undefined ? undefined : parseTimestamp(printInstant(instant));
      if (now === undefined && instant !== undefined)
        throw new RangeError(`setNow: not an ISO 8601 timestamp: ${instant}`);
      fixed = now;
    },
    reset() {
      fixed = start;
    },
  };
}

/** An instant in ISO 8601. */
export function printInstant(instant: string | Date): string {
  return typeof instant === 'string' ? instant : instant.toISOString();
}
