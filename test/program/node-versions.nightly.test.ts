import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, expect, test } from 'vitest';
import { root } from '../support/paths.js';

const run = promisify(execFile);
const folder = mkdtempSync(join(tmpdir(), 'node-versions-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Installs npm's package `node`; false if the registry cannot be reached. */
async function install(version: number, into: string): Promise<boolean> {
  const flags = ['--no-audit', '--no-fund', '--prefix', into];
  try {
    await run('npm', ['install', ...flags, `node@${version}`], { timeout: 300_000 });
    return true;
  } catch {
    return false;
  }
}

// The suite itself runs on the oldest supported version.
test.for([22, 24])(
  'the unit tests pass on Node %i',
  { timeout: 900_000 },
  async (version, { skip }) => {
    const into = join(folder, String(version));
    if (!(await install(version, into))) skip('npm cannot install it here');
    const { PATH, HOME } = process.env;
    const env = { HOME, PATH: `${join(into, 'node_modules/.bin')}${delimiter}${PATH}` };
    const vitest = join(root, 'node_modules/vitest/vitest.mjs');
    const own = await run('node', ['--version'], { env });
    expect(own.stdout).toMatch(new RegExp(`^v${version}\\.`));
    await run('node', [vitest, 'run', '--project', 'unit'], { cwd: root, env, maxBuffer: 1e8 });
  },
);
