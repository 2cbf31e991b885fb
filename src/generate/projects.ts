import { hash } from './hash.js';
import { projects as sampleProjects } from './world/world.js';

const sampleNames = sampleProjects.map(([, name]) => name);

/**
 * Creates a function that draws a project's rank, from 0: the n-th project has an n-th of the traffic of the first
 * (Zipf).
 */
export function createPickProject(count: number): (fraction: number) => number {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let rank = 0; rank < count; rank += 1) {
    sum += 1 / (rank + 1);
    sums[rank] = sum;
  }
  return (fraction) => firstAbove(sums, fraction * sum);
}

/** Returns the index of the first sum above a value; the sums are in ascending order. */
function firstAbove(sums: Float64Array, value: number): number {
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
 * Returns the name of the project with this rank: first the names of the sample logs, then names of twenty letters,
 * like those that hosting platforms generate. No name is a substring of another.
 */
export function projectName(rank: number): string {
  const name = sampleNames[rank];
  if (name !== undefined) return name;
  let letters = '';
  for (let index = 0; index < 20; index += 1) {
    letters += String.fromCharCode(97 + (hash(0, rank, index) % 26));
  }
  return letters;
}
