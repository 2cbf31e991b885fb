import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { isFullLength } from './test/support/nightly.js';

// Tests that kill processes leave their temporary files here.
const temporary = mkdtempSync(join(tmpdir(), 'tests-of-log-endpoints-'));
process.env['TMPDIR'] = temporary;
process.on('exit', () => rmSync(temporary, { recursive: true, force: true }));

/** Waiting costs nothing where it ends early: no test waits for less than the work may take on a busy machine. */
const poll = { timeout: 60_000, interval: 20 };

const integration = 'test/**/*.integration.test.ts';
const stress = 'test/**/*.stress.test.ts';
const nightly = 'test/**/*.nightly.test.ts';
const bigQuery = 'test/**/*.bigquery.test.ts';

/** The integration tests that `npm test` runs in part: the nightly suite does not repeat the others. */
function shortenedTests(): string[] {
  return readdirSync('test', { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.integration.test.ts'))
    .map((name) => join('test', name))
    .filter((path) => /support\/(nightly|vector-calls)\.js/.test(readFileSync(path, 'utf8')));
}

/** Five projects, told apart by the ends of the file names: see docs/testing.md. */
export default defineConfig({
  test: {
    // Many tests wait for processes of their own: two files at a time even where there is one core.
    maxWorkers: Math.max(2, availableParallelism() - 1),
    // A second run does not transform unchanged files again.
    experimental: { fsModuleCache: true },
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/**/*.test.ts'],
          exclude: [integration, stress, nightly, bigQuery],
          pool: 'threads',
          isolate: false,
          testTimeout: 60_000,
          hookTimeout: 60_000,
          expect: { poll },
        },
      },
      {
        test: {
          name: 'integration',
          include: isFullLength ? shortenedTests() : [integration],
          isolate: false,
          testTimeout: isFullLength ? 240_000 : 120_000,
          hookTimeout: isFullLength ? 240_000 : 120_000,
          expect: { poll },
        },
      },
      {
        test: {
          name: 'stress',
          include: [stress],
          isolate: false,
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: { poll },
          // Their services load every core: they run after all other tests, one file at a time.
          maxWorkers: 1,
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          // Needs a project in Google Cloud: see docs/bigquery.md.
          name: 'bigquery',
          include: [bigQuery],
          isolate: false,
          testTimeout: 120_000,
          hookTimeout: 600_000,
          expect: { poll },
          maxWorkers: 1,
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          name: 'nightly',
          include: [nightly],
          isolate: false,
          testTimeout: 240_000,
          hookTimeout: 240_000,
          expect: { poll },
        },
      },
    ],
  },
});
