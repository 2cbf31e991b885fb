import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isFullLength, nightly } from '../support/nightly.js';
import { root } from '../support/paths.js';

interface Totals {
  readonly sent: number;
  readonly answered: number;
  /** The queries sent to both worlds. */
  readonly worlds: { readonly sent: number; readonly answered: number };
}

const seconds = nightly(60, 3);
const args = ['--seconds', `${seconds}`];

// The script prints its seed and the failing queries.
test(`${seconds} seconds of mutated queries leak nothing and break nothing`, async () => {
  const more = isFullLength ? args : [...args, '--single', '--seed', '1'];
  const run = promisify(execFile)(process.execPath, ['scripts/fuzz.mjs', ...more], { cwd: root });
  const { stdout, stderr } = await run.catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  const totals = /\{.*\}/.exec(stdout)?.[0] ?? '{}';
  expect(stderr, stdout).toBe('');
  const { sent, answered, worlds } = JSON.parse(totals) as Totals;
  expect(sent).toBeGreaterThan(nightly(500, 2));
  expect(answered).toBeGreaterThan(nightly(50, 0));
  if (!isFullLength) return;
  expect(worlds.sent).toBeGreaterThan(100);
  expect(worlds.answered).toBeGreaterThan(20);
});
