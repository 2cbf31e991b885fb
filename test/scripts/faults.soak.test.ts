import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../support/paths.js';

const hasProc = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

// Less than a minute of `npm run faults`, and as long again until the last process has had its time.
test.runIf(hasProc)(
  'a mixed load while engine processes are killed',
  async () => {
    const run = promisify(execFile)(process.execPath, ['scripts/faults.mjs', '15'], { cwd: root });
    const { stdout, stderr } = await run.catch(
      (failed: { stdout: string; stderr: string }) => failed,
    );
    const [found = '{}'] = /\{.*\}/.exec(stdout) ?? [];
    expect(stderr, stdout).toBe('');
    const { kills, totals } = JSON.parse(found) as {
      readonly kills: number;
      readonly totals: Readonly<Record<string, number>>;
    };
    expect(kills).toBeGreaterThan(3);
    for (const what of ['cheap 200', 'dear 200', 'left', 'hostile 413 tooLarge']) {
      expect(totals[what], `${what} of ${found}`).toBeGreaterThan(0);
    }
  },
  240_000,
);
