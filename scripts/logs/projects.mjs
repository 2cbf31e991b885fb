import { projects as known } from '../fixtures/world.mjs';
import { hash } from './hash.mjs';

const names = known.map(([, name]) => name);

/**
 * Draws a project by its rank from 0: the n-th has an n-th of the traffic of the first (Zipf).
 * @param {number} count how many there are
 * @returns {(fraction: number) => number}
 */
export function createPickProject(count) {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1);
    sums[rank] = sum;
  }
  return (fraction) => firstAbove(sums, fraction * sum);
}

/** @param {Float64Array} sums rising @param {number} value */
function firstAbove(sums, value) {
  let low = 0;
  let high = sums.length - 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sums[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * A project's name: those of the sample logs first, then twenty letters as hosting platforms make
 * them, of which none holds another.
 * @param {number} rank
 */
export function projectName(rank) {
  const name = names[rank];
  if (name !== undefined) return name;
  let letters = '';
  for (let place = 0; place < 20; place += 1) {
    letters += String.fromCharCode(97 + (hash(0, rank, place) % 26));
  }
  return letters;
}
