import { hourMicros, hours, minuteMicros } from '../fixtures/world.mjs';
import { fraction } from './hash.mjs';

/** Shares of the hours of a day, by hour (UTC). */
const byHour = hours.map(([weight]) => weight);

/** Half the traffic of a weekday; one minute in sixty has a burst. */
const weekend = 0.5;
const burst = 4;

/**
 * Instants in order, in unix microseconds: quiet nights and weekends, minutes that differ, bursts.
 * @param {{ readonly from: number, readonly to: number, readonly count: number, readonly seed: number }} given
 * `from` is inclusive, `to` exclusive
 * @returns {Generator<number, void, void>}
 */
export function* moments({ from, to, count, seed }) {
  const minutes = Math.ceil((to - from) / minuteMicros);
  const weight = (/** @type {number} */ minute) => weightOf(from + minute * minuteMicros, seed);
  let total = 0;
  for (let minute = 0; minute < minutes; minute += 1) total += weight(minute);
  let passed = 0;
  let given = 0;
  for (let minute = 0; minute < minutes; minute += 1) {
    passed += weight(minute);
    const start = from + minute * minuteMicros;
    const length = Math.min(minuteMicros, to - start);
    const due = minute === minutes - 1 ? count : Math.round((count * passed) / total);
    const many = due - given;
    for (let place = 0; place < many; place += 1) {
      yield start + Math.floor(((place + fraction(seed, given + place, 1)) / many) * length);
    }
    given = due;
  }
}

/** @param {number} at @param {number} seed */
function weightOf(at, seed) {
  const hour = Math.floor(at / hourMicros) % 24;
  // 1970-01-01 was a Thursday.
  const day = (Math.floor(at / (24 * hourMicros)) + 4) % 7;
  const minute = Math.floor(at / minuteMicros);
  const steady = 0.6 + 0.8 * fraction(seed, minute, 2);
  const high = fraction(seed, minute, 3) < 1 / 60 ? burst : 1;
  return (byHour[hour] ?? 1) * (day === 0 || day === 6 ? weekend : 1) * steady * high;
}
