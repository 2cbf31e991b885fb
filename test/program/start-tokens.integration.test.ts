import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { newToken as makeTokenLine } from '../../src/cli/new-token.js';
import { readCommand } from '../../src/config/config.js';
import { isFullLength } from '../support/nightly.js';
import { fixtures, main } from '../support/paths.js';
import { type Service, startService } from '../support/start-service.js';

let file = '';
let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tokens-'));
  file = join(folder, 'tokens');
});
afterAll(() => rmSync(folder, { recursive: true }));

async function runNewToken(): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [main, 'tokens', 'new']);
  return stdout;
}

/** The same, in this process. */
function newToken(...flags: readonly string[]): string {
  const command = readCommand(['tokens', 'new', ...flags], {});
  if (command.verb !== 'tokens') throw new Error('not the verb');
  return makeTokenLine(command.settings, command.argument);
}

const serve = () => startService(['--data', fixtures], { LOG_ENDPOINTS_TOKENS_FILE: file });

async function statusOf({ url }: Service, line: string, asked: string): Promise<number> {
  const [token = ''] = line.split(/\s/);
  const target = `${url}/api/endpoints/query/${asked}`;
  return (await fetch(target, { headers: { 'x-api-key': token } })).status;
}

test.runIf(isFullLength)(
  'the server accepts a printed line',
  async () => {
    const free = await runNewToken();
    const flags = ['--name', 'the "one"', '--project', 'quarry', '--endpoint', 'logs.all'];
    const bound = newToken(...flags);
    expect(free).toMatch(/^[\w-]{32}\n$/);
    expect(bound).toMatch(/^[\w-]{32} name="the \\"one\\"" project=quarry endpoints=logs\.all\n$/);
    expect(newToken().slice(0, 32)).not.toBe(free.slice(0, 32));
    writeFileSync(file, `# tokens\n${free}${bound}`);
    const service = await serve();
    expect(await statusOf(service, free, 'logs.all?project=bluefin')).toBe(200);
    expect(await statusOf(service, bound, 'logs.all')).toBe(200);
    expect(await statusOf(service, bound, 'logs.all?project=bluefin')).toBe(403);
    expect(await statusOf(service, bound, 'usage.api-counts?interval=daily')).toBe(404);
    await service.stop();
    expect(service.output()).toContain('"caller":"the \\"one\\""');
    for (const line of [free, bound]) expect(service.output()).not.toContain(line.slice(0, 32));
  },
  60_000,
);

test.runIf(isFullLength)('--endpoint may be repeated, or be a list', async () => {
  const line = newToken('--endpoint', 'a,b', '--endpoint', 'c');
  expect(line).toMatch(/ endpoints=a,b,c\n$/);
});

test.runIf(isFullLength)(
  'a start fails with the line of a token that names an unknown endpoint',
  async () => {
    writeFileSync(file, '\na-token-of-the-file endpoints=logs.all,logs.al\n');
    const started = serve();
    await expect(started).rejects.toThrow('the service ended with 2:');
    await expect(started).rejects.toThrow(
      `LOG_ENDPOINTS_TOKENS_FILE ${file}:2: unknown endpoint logs.al; expected one of logs.all, usage.api-counts\n`,
    );
  },
  60_000,
);
