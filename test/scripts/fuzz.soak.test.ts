import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../support/paths.js';

interface Totals {
  readonly asked: number;
  readonly answered: number;
  /** Of the queries that were asked of two worlds. */
  readonly worlds: { readonly asked: number; readonly answered: number };
}

// A minute of `npm run fuzz`; its seed is in what it prints, and what the service merely failed on too.
test('a minute of mutated queries gains nothing', async () => {
  const run = promisify(execFile)(process.execPath, ['scripts/fuzz.mjs', '--seconds', '60'], {
    cwd: root,
  });
  const { stdout, stderr } = await run.catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  const totals = /\{.*\}/.exec(stdout)?.[0] ?? '{}';
  expect(stderr, stdout).toBe('');
  const { asked, answered, worlds } = JSON.parse(totals) as Totals;
  expect(asked).toBeGreaterThan(500);
  expect(answered).toBeGreaterThan(50);
  expect(worlds.asked).toBeGreaterThan(100);
  expect(worlds.answered).toBeGreaterThan(20);
}, 240_000);
