import { availableParallelism } from 'node:os';
import { expect, test } from 'vitest';
import { engineThreads } from '../../src/start/engine-limits.js';

const cores = availableParallelism();
const files = (...records: readonly number[]) => records.map((count) => ({ records: count }));

test.each([
  [files(), 1],
  [files(122_880), 1],
  [files(100_000, 22_880), 1],
  [files(122_881), Math.min(cores, 2)],
  [files(1e9), cores],
])('no more threads than cores, and than the records fill row groups: %j', (sizes, expected) => {
  expect(engineThreads({ threads: undefined }, sizes)).toBe(expected);
});

test.each([1, 3, 64])('--threads %i counts for data of any size', (threads) => {
  expect(engineThreads({ threads }, files(1))).toBe(threads);
  expect(engineThreads({ threads }, files(1e9))).toBe(threads);
});
