import { execFile, execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { main, root } from '../support/paths.js';

const run = promisify(execFile);
const suite = join(root, 'test/testing/suite');
const workers = 4;
// `RUNS=20 npx vitest run --project nightly test/testing` repeats each suite twenty times.
const runs = Array.from({ length: Number(process.env['RUNS'] ?? 2) }, (_, index) => index);

const folder = mkdtempSync(join(tmpdir(), 'side-by-side-'));
afterAll(() => rmSync(folder, { recursive: true }));

const environment = () => {
  const { PATH } = process.env;
  const command = join(folder, 'log-endpoints');
  writeFileSync(command, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(command, 0o755);
  return { PATH: `${folder}${delimiter}${PATH}`, TMPDIR: folder, PYTHONDONTWRITEBYTECODE: '1' };
};

const hasPytest = () => {
  try {
    execFileSync('python3', ['-m', 'pytest', '--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
};

// In `npm test`, testing.integration.test.ts uses the fixture that this suite uses.
test('a suite of Vitest, in four workers, never fails', async () => {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs');
  for (const _ of runs) {
    const env = { ...environment(), WORKERS: `${workers}`, NO_COLOR: '1' };
    const { stdout } = await run(process.execPath, [vitest, 'run'], { cwd: suite, env });
    expect(stdout).toContain(`Tests  ${20 * workers} passed (${20 * workers})`);
  }
}, 3_600_000);

test('a suite of pytest, in four processes, never fails', async ({ skip }) => {
  if (!hasPytest()) skip('pytest is not installed: apt-get install python3-pytest');
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
  const env = environment();
  for (const _ of runs) {
    const all = Array.from({ length: workers }, () => run('python3', args, { cwd: suite, env }));
    for (const { stdout } of await Promise.all(all)) expect(stdout).toMatch(/^20 passed/m);
  }
}, 3_600_000);

test('the recipe finds the command of the project, or says once that there is none', async ({
  skip,
}) => {
  if (!hasPytest()) skip('pytest is not installed: apt-get install python3-pytest');
  const project = join(folder, 'project');
  cpSync(suite, project, { recursive: true });
  // Python, and the shell that the command is written in, but no command.
  const { PATH: withCommand, ...others } = environment();
  const PATH = withCommand.slice(withCommand.indexOf(delimiter) + 1);
  const args = ['-m', 'pytest', '-q', '-p', 'no:cacheprovider'];
  const pytest = () => run('python3', args, { cwd: project, env: { ...others, PATH } });
  await expect(pytest()).rejects.toMatchObject({
    code: 3,
    stdout: expect.stringContaining('Exit: log-endpoints is not on the PATH'),
  });
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
  cpSync(join(folder, 'log-endpoints'), join(project, 'node_modules/.bin/log-endpoints'));
  expect((await pytest()).stdout).toMatch(/^20 passed/m);
}, 600_000);
