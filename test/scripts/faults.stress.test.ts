import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { isFullLength, nightly } from '../support/nightly.js';
import { root } from '../support/paths.js';

const hasProc = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

const seconds = nightly(40, 2);
const args = ['--seconds', `${seconds}`];

test.runIf(hasProc)('a mixed load survives killed engine and compile processes', async () => {
  const more = isFullLength ? args : [...args, '--brief', '--seed', '1'];
  const run = promisify(execFile)(process.execPath, ['scripts/faults.mjs', ...more], {
    cwd: root,
  });
  const { stdout, stderr } = await run.catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  const [found = '{}'] = /\{.*\}/.exec(stdout) ?? [];
  expect(stderr, stdout).toBe('');
  const { kills, totals } = JSON.parse(found) as {
    readonly kills: number;
    readonly totals: Readonly<Record<string, number>>;
  };
  expect(kills).toBeGreaterThan(nightly(10, 0));
  const expected = ['cheap 200', 'aborted', 'expensive 200', 'hostile 413 tooLarge'];
  for (const event of expected.slice(0, nightly(expected.length, 2))) {
    expect(totals[event], `${event} of ${found}`).toBeGreaterThan(0);
  }
});
