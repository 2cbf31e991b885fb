import { hourMicros, hours, minuteMicros } from '../fixtures/world.mjs';
import { fraction } from './hash.mjs';

/** The weight of each hour of a day (UTC). */
const byHour = hours.map(([weight]) => weight);

/** Traffic of a weekend day, relative to a weekday. */
const weekendFactor = 0.5;
/** Traffic of a burst; one minute in sixty has one. */
const burstFactor = 4;

/**
 * Timestamps in ascending order, in unix microseconds: nights and weekends are quiet, traffic varies from
 * minute to minute, and there are bursts.
 * @param {{ readonly from: number, readonly to: number, readonly count: number, readonly seed: number }} options
 * `from` is inclusive, `to` exclusive
 * @returns {Generator<number, void, void>}
 */
export function* moments({ from, to, count, seed }) {
  const minutes = Math.ceil((to - from) / minuteMicros);
  const weight = (/** @type {number} */ minute) => weightOf(from + minute * minuteMicros, seed);
  let total = 0;
  for (let minute = 0; minute < minutes; minute += 1) total += weight(minute);
  let weightSoFar = 0;
  let yielded = 0;
  for (let minute = 0; minute < minutes; minute += 1) {
    weightSoFar += weight(minute);
    const start = from + minute * minuteMicros;
    const length = Math.min(minuteMicros, to - start);
    const due = minute === minutes - 1 ? count : Math.round((count * weightSoFar) / total);
    const size = due - yielded;
    for (let index = 0; index < size; index += 1) {
      yield start + Math.floor(((index + fraction(seed, yielded + index, 1)) / size) * length);
    }
    yielded = due;
  }
}

/** @param {number} at @param {number} seed */
function weightOf(at, seed) {
  const hour = Math.floor(at / hourMicros) % 24;
  // 1970-01-01 was a Thursday.
  const day = (Math.floor(at / (24 * hourMicros)) + 4) % 7;
  const minute = Math.floor(at / minuteMicros);
  const variation = 0.6 + 0.8 * fraction(seed, minute, 2);
  const burst = fraction(seed, minute, 3) < 1 / 60 ? burstFactor : 1;
  return (byHour[hour] ?? 1) * (day === 0 || day === 6 ? weekendFactor : 1) * variation * burst;
}
