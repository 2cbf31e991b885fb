import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { nightly } from '../support/nightly.js';
import { root } from '../support/paths.js';

const seconds = nightly(30, 4);

// The script prints its seed and what it finds.
test(`${seconds} seconds of odd records change no other project's answers`, async () => {
  // Other tests run beside it.
  const more = ['--seconds', `${seconds}`, '--max-visible', '300'];
  const args = ['scripts/odd-records.mjs', ...more];
  const options = { cwd: root, maxBuffer: 1e8, timeout: 800_000 };
  const run = promisify(execFile)(process.execPath, args, options);
  const { stdout, stderr } = await run.catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  const totals = JSON.parse(/^\{.*\}$/m.exec(stdout)?.[0] ?? '{}');
  expect(stderr, stdout).toBe('');
  expect(stdout.trim().split('\n').length, stdout).toBe(2);
  expect(totals.lines).toBeGreaterThan(nightly(50, 1));
  expect(totals.questions).toBeGreaterThan(nightly(50, 1));
}, 900_000);
