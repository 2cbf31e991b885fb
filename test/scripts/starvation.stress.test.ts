import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { root } from '../support/paths.js';
import { isFullLength, soak } from '../support/soak.js';

const hasProc = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

// Of a second each, and beside another load, the medians vary by more than the limit of a whole run leaves room for.
const brief = ['--max-slowdown', '10', '--only', 'catalogue,OpenAPI,MCP tools/list,metrics'];
const args = ['--seconds', `${soak(5, 1)}`, ...(isFullLength ? [] : brief)];

test.runIf(hasProc)('no kind of request of one token starves another', async () => {
  const run = promisify(execFile)(process.execPath, ['scripts/starvation.mjs', ...args], {
    cwd: root,
  });
  const { stdout, stderr } = await run.catch(
    (failed: { stdout: string; stderr: string }) => failed,
  );
  expect(stderr, stdout).toBe('');
  const rows = stdout.split('\n').filter((line) => /\b200: \d+/.test(line));
  expect(rows.length, stdout).toBeGreaterThanOrEqual(soak(17, 5));
});
