import { fraction } from './hash.js';
import { hourMicros, hours, minuteMicros } from './world/world.js';

/** The times at which records are written. */
export interface Rhythm {
  /** Inclusive, in unix microseconds. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** The number of records in between. */
  readonly count: number;
  readonly seed: number;
  /** The traffic of a minute, relative to the usual traffic; by default 1. */
  readonly traffic?: (at: number) => number;
}

/** The weight of each hour of a day (UTC). */
const byHour = hours.map(([weight]) => weight);

/** Traffic of a weekend day, relative to a weekday. */
const weekendFactor = 0.5;
/** Traffic of a burst; one minute in sixty has one. */
const burstFactor = 4;

/**
 * Creates a function that returns one minute after another: nights and weekends are quiet, traffic varies from minute
 * to minute, and there are bursts. The minutes before the end of the rhythm have `count` moments in total; later ones
 * are as dense. Each minute has an exclusive `end` and its `moments` in ascending order; the end of the rhythm may cut
 * it.
 */
export function createMinutes(rhythm: Rhythm) {
  const { from, to, count, seed } = rhythm;
  let total = 0;
  for (let at = from; at < to; at += minuteMicros) total += momentWeight(at, rhythm);
  let weight = 0;
  let moments = 0;
  let start = from;
  return () => {
    weight += momentWeight(start, rhythm);
    const first = moments;
    moments = Math.round((count * weight) / total);
    const minute = { start, end: start + minuteMicros };
    if (start < to) minute.end = Math.min(minute.end, to);
    start = minute.end;
    return { end: start, moments: momentsIn(minute, { seed, first, size: moments - first }) };
  };
}

function* momentsIn(
  { start, end }: { readonly start: number; readonly end: number },
  { seed, first, size }: Readonly<Record<'seed' | 'first' | 'size', number>>,
): Generator<number, void, void> {
  for (let index = 0; index < size; index += 1) {
    yield start + Math.floor(((index + fraction(seed, first + index, 1)) / size) * (end - start));
  }
}

/** Returns the traffic of an hour of the day, from 1 at night to 7. */
export function loadAt(at: number): number {
  return byHour[Math.floor(at / hourMicros) % 24] ?? 1;
}

function momentWeight(at: number, { seed, traffic }: Rhythm): number {
  // 1970-01-01 was a Thursday.
  const day = (Math.floor(at / (24 * hourMicros)) + 4) % 7;
  const minute = Math.floor(at / minuteMicros);
  const variation = 0.6 + 0.8 * fraction(seed, minute, 2);
  const burst = fraction(seed, minute, 3) < 1 / 60 ? burstFactor : 1;
  const usual = loadAt(at) * (day === 0 || day === 6 ? weekendFactor : 1) * variation * burst;
  return usual * (traffic?.(at) ?? 1);
}
