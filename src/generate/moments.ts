import { fraction } from './hash.js';
import { hourMicros, hours, minuteMicros } from './world/world.js';

/** When records are written. */
export interface Rhythm {
  /** Inclusive, in unix microseconds. */
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
  /** The number of records between. */
  readonly count: number;
  readonly seed: number;
  /** The traffic of a minute, relative to the usual one; by default 1. */
  readonly traffic?: (at: number) => number;
}

/** The weight of each hour of a day (UTC). */
const byHour = hours.map(([weight]) => weight);

/** Traffic of a weekend day, relative to a weekday. */
const weekendFactor = 0.5;
/** Traffic of a burst; one minute in sixty has one. */
const burstFactor = 4;

/**
 * Timestamps in ascending order, in unix microseconds: nights and weekends are quiet, traffic varies from
 * minute to minute, and there are bursts.
 */
export function* moments(rhythm: Rhythm): Generator<number, void, void> {
  const { from, to, count, seed } = rhythm;
  const minutes = Math.ceil((to - from) / minuteMicros);
  const total = totalWeight(rhythm);
  let weightSoFar = 0;
  let yielded = 0;
  for (let minute = 0; minute < minutes; minute += 1) {
    const start = from + minute * minuteMicros;
    weightSoFar += weightOf(start, rhythm);
    const length = Math.min(minuteMicros, to - start);
    const due = minute === minutes - 1 ? count : Math.round((count * weightSoFar) / total);
    const size = due - yielded;
    for (let index = 0; index < size; index += 1) {
      yield start + Math.floor(((index + fraction(seed, yielded + index, 1)) / size) * length);
    }
    yielded = due;
  }
}

/** The timestamps of each minute from the end of a rhythm on, without an end, as dense as before. */
export function* laterMinutes(rhythm: Rhythm): Generator<readonly number[], never, void> {
  const { to, count, seed } = rhythm;
  const total = totalWeight(rhythm);
  let owed = 0;
  let yielded = count;
  for (let start = to; ; start += minuteMicros) {
    owed += (count * weightOf(start, rhythm)) / total;
    const size = Math.floor(owed);
    owed -= size;
    const before = yielded;
    yielded += size;
    yield Array.from({ length: size }, (_, index) => {
      const share = (index + fraction(seed, before + index, 1)) / size;
      return start + Math.floor(share * minuteMicros);
    });
  }
}

function totalWeight(rhythm: Rhythm): number {
  const { from, to } = rhythm;
  let total = 0;
  for (let at = from; at < to; at += minuteMicros) total += weightOf(at, rhythm);
  return total;
}

/** The traffic of an hour of the day, from 1 at night to 7. */
export function loadAt(at: number): number {
  return byHour[Math.floor(at / hourMicros) % 24] ?? 1;
}

function weightOf(at: number, { seed, traffic }: Rhythm): number {
  // 1970-01-01 was a Thursday.
  const day = (Math.floor(at / (24 * hourMicros)) + 4) % 7;
  const minute = Math.floor(at / minuteMicros);
  const variation = 0.6 + 0.8 * fraction(seed, minute, 2);
  const burst = fraction(seed, minute, 3) < 1 / 60 ? burstFactor : 1;
  const usual = loadAt(at) * (day === 0 || day === 6 ? weekendFactor : 1) * variation * burst;
  return usual * (traffic?.(at) ?? 1);
}
