import { availableParallelism } from 'node:os';
import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Many tests wait for processes of their own: two files at a time also where there are two cores.
    maxWorkers: Math.max(2, availableParallelism() - 1),
  },
});
