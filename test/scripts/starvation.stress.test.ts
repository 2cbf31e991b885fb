import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { nightly } from '../support/nightly.js';
import { root } from '../support/paths.js';

const hasProc = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

// On a machine that does other work, the medians vary by more than the limit of `npm run starvation` leaves room for.
const few = ['--only', 'lql;tail;catalogue;MCP tools/list;metrics'];
const args = ['--seconds', `${nightly(2, 1)}`, '--max-slowdown', '10', ...few];

test.runIf(hasProc)('no kind of request of one token starves another', async () => {
  const run = promisify(execFile)(process.execPath, ['scripts/starvation.mjs', ...args], {
    cwd: root,
  });
  const { stdout, stderr } = await run.catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  expect(stderr, stdout).toBe('');
  const rows = stdout.split('\n').filter((line) => /\b200: \d+/.test(line));
  expect(rows.length, stdout).toBeGreaterThanOrEqual(5);
});
