import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFailed, test } from 'vitest';
import { ask, endlessSql, metricOf } from '../support/ask-service.js';
import { childrenOf, hasProc, isLeft } from '../support/engines.js';
import { fixtures, main } from '../support/paths.js';
import { token } from '../support/start-service.js';

/** `script` of util-linux runs a command in a terminal of its own. */
const hasScript = hasProc && spawnSync('script', ['--version']).stdout?.includes('util-linux');

test.runIf(hasScript)(
  'a server whose terminal closes finishes its queries and exits with 0',
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'terminal-'));
    const [TMPDIR, code, number] = ['own', 'code', 'pid'].map((name) => join(folder, name));
    mkdirSync(TMPDIR ?? '');
    const serve = `${process.execPath} ${main} serve --port 0 --data ${fixtures} --newest-rows 0 --query-timeout 5s`;
    // The first shell ends with its terminal; then the system signals its group. The second one writes the exit code.
    const inner = `trap "" HUP; sh -c "echo \\$\\$ > ${number}; exec ${serve}"; echo $? > ${code}`;
    const command = `sh -c '${inner}'; true`;
    const terminal = spawn('script', ['-qc', command, '/dev/null'], {
      env: {
        PATH: process.env['PATH'],
        SHELL: '/bin/sh',
        TMPDIR,
        LOG_ENDPOINTS_TOKENS: token,
        LOG_ENDPOINTS_NO_DISK_CACHE: 'true',
      },
      stdio: ['pipe', 'pipe', 'ignore'],
    });
    let output = '';
    terminal.stdout.on('data', (chunk) => {
      output += chunk;
    });
    const soon = { timeout: 60_000, interval: 20 };
    await expect.poll(() => output, soon).toContain('curl');
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? [];
    const pid = Number(readFileSync(number ?? '', 'utf8'));
    // A failed test would leave it.
    onTestFailed(() => void process.kill(pid, 'SIGKILL'));
    const engines = childrenOf(pid);
    const running = ask({ url }, { sql: endlessSql });
    await expect.poll(() => metricOf({ url }, 'engine_running'), soon).toBe(1);
    terminal.kill('SIGKILL');
    await expect.poll(async () => (await fetch(`${url}/ready`)).status, soon).toBe(503);
    // The query goes on to its time limit.
    expect((await running).status).toBe(504);
    await expect
      .poll(() => existsSync(code ?? '') && readFileSync(code ?? '', 'utf8'), soon)
      .toBe('0\n');
    expect(readdirSync(TMPDIR ?? '')).toEqual([]);
    expect(engines.filter(isLeft)).toEqual([]);
    rmSync(folder, { recursive: true });
  },
);
