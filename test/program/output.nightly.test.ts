import { existsSync, readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { fixtures, main } from '../support/paths.js';
import { makeFolders, runShell } from '../support/run-program.js';

const folders = makeFolders();
afterAll(() => folders.remove());

const logs = `--data ${fixtures} --now 2026-03-10T12:00:00Z`;
const serve = `serve --port 0 --log-level silent ${logs}`;
const demo = 'demo --port 0 --log-level silent';
const query = `query logs.all ${logs} --param project=bluefin`;

/** Runs the program in a shell; its exit code is printed as the last line. */
async function run(argv: string, { to = '', from = '' } = {}) {
  const command = `${from} { "$0" "${main}" ${argv}; echo "exit $?" >&2; } ${to}`;
  const { stderr, stdout } = await runShell(folders, command);
  const lines = stderr.trimEnd().split('\n');
  return { code: lines.pop(), lines, stdout };
}

const full = 'Cannot write to standard output: ENOSPC: no space left on device, write';
const closed = 'Cannot write to standard output: its reader has closed the pipe';

describe.runIf(existsSync('/dev/full'))('standard output on a full disk', () => {
  test.each([
    serve,
    demo,
    query,
    `explain logs.all ${logs}`,
    `check --data ${fixtures}`,
    `cache list --cache-dir ${folders.cache}`,
    'tokens new',
    '--help',
    '--version',
  ])('%s ends with one line and exit code 2', async (argv) => {
    const { code, lines } = await run(argv, { to: '> /dev/full' });
    expect({ code, lines }).toEqual({ code: 'exit 2', lines: [full] });
    expect(readdirSync(folders.temporary)).toEqual([]);
  });

  test('mcp ends with one line and exit code 2', async () => {
    const { code, lines } = await run(`mcp --log-level silent ${logs}`, {
      from: `printf '%s\\n' '{"jsonrpc":"2.0","id":1,"method":"ping"}' |`,
      to: '> /dev/full',
    });
    expect({ code, lines }).toEqual({ code: 'exit 2', lines: [full] });
  });
});

describe('a reader that closes the pipe', () => {
  test.each([serve, demo])('%s ends with one line and exit code 2', async (argv) => {
    const { code, lines, stdout } = await run(argv, { to: '| head -n 1' });
    expect({ code, lines }).toEqual({ code: 'exit 2', lines: [closed] });
    expect(stdout).toMatch(/^log-endpoints .* on http:.*\n$/);
    expect(readdirSync(folders.temporary)).toEqual([]);
  });

  test.each([query, `explain logs.all ${logs}`, '--help', 'tokens new'])(
    '%s ends quietly',
    async (argv) => {
      // It is closed before the first line.
      const { code, lines } = await run(argv, { to: '| true' });
      expect({ code, lines }).toEqual({ code: 'exit 0', lines: [] });
    },
  );
});

describe.runIf(existsSync('/dev/full'))('standard error on a full disk', () => {
  test('loses what query says beside its rows, not the rows', async () => {
    const none = `query logs.all ${logs} --param project=nobody`;
    const { stdout } = await runShell(
      folders,
      `"$0" "${main}" ${none} 2> /dev/full; echo "exit $?"`,
    );
    expect(stdout).toBe('{"result":[]}\nexit 0\n');
  });
});
