import { defineConfig } from 'vitest/config';

const workers = Number(process.env['WORKERS'] ?? 4);

/** The same file of tests in several workers at the same time. */
export default defineConfig({
  test: {
    maxWorkers: workers,
    projects: Array.from({ length: workers }, (_, worker) => ({
      test: { name: `worker ${worker}`, include: ['*.suite.ts'], testTimeout: 60_000 },
    })),
  },
});
