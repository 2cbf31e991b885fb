import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fixtures, main } from '../support/paths.js';

const { PATH, HOME } = process.env;
const token = 'a-token-of-the-tests';

const slowQuery = `select count(*) as n from edge_logs a cross join edge_logs b cross join edge_logs c
  cross join edge_logs d where a.id < d.id and b.event_message < c.event_message`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'start-'));
  mkdirSync(join(folder, 'temporary'));
  mkdirSync(join(folder, 'endpoints'));
  writeFileSync(
    join(folder, 'endpoints/one.sql'),
    '-- name: one\n-- colour: red\n--\nselect nothing_there from `logs.edge_logs`\n',
  );
});
afterAll(() => rmSync(folder, { recursive: true }));

interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

function environmentWith(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const temporary = { TMPDIR: join(folder, 'temporary'), LOG_ENDPOINTS_NO_DISK_CACHE: 'true' };
  return { PATH, HOME, ...temporary, ...more };
}

async function run(argv: readonly string[], more: Record<string, string> = {}): Promise<Ended> {
  try {
    const options = { env: environmentWith(more) };
    const { stdout, stderr } = await promisify(execFile)(
      process.execPath,
      [main, ...argv],
      options,
    );
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as Ended;
  }
}

describe('a fault at start', () => {
  const faults: readonly [string, readonly string[], Record<string, string>, string][] = [
    [
      'an unknown verb',
      ['serv'],
      {},
      'Unknown verb: serv; expected one of serve, demo, mcp, query, explain, check, test, new, generate, cache, tokens, test-server, bigquery; did you mean serve?',
    ],
    [
      'an unknown flag',
      ['serve', '--prot', '1'],
      {},
      'Unknown flag for serve: --prot; did you mean --port?',
    ],
    [
      'an unknown variable',
      ['serve'],
      { LOG_ENDPOINTS_DATE: 'x' },
      'Unknown variable: LOG_ENDPOINTS_DATE; did you mean LOG_ENDPOINTS_DATA?',
    ],
    [
      'a value out of range',
      ['serve', '--port', '99999'],
      {},
      '--port must be a whole number, from 0 to 65535',
    ],
    [
      'a weak token',
      ['serve', '--data', fixtures],
      { LOG_ENDPOINTS_TOKENS: 'secret' },
      'LOG_ENDPOINTS_TOKENS: token 1: a token must have at least 16 characters: ASCII letters, digits and punctuation',
    ],
    ['an unknown action', ['tokens', 'old'], {}, 'Unknown action for tokens: old; expected new'],
    [
      'a name with a line break',
      ['tokens', 'new', '--name', 'two\nlines'],
      {},
      'name must be a string that is not empty',
    ],
    [
      'no data',
      ['serve'],
      {},
      '--data is missing: the folder of the log files; or name files, as in log-endpoints serve app.log',
    ],
    [
      'a parameter without a value',
      ['query', 'logs.all', '--param', 'project', '--data', fixtures],
      {},
      '--param must be name=value: project',
    ],
  ];
  test.each(faults)(
    '%s is reported with one line and exit code 2',
    async (_what, argv, environment, line) => {
      const { code, stdout, stderr } = await run(argv, environment);
      expect([code, stdout, stderr]).toEqual([2, '', `${line}\n`]);
    },
  );

  const folders = [
    ['/none/here', 'serve'],
    ['/none/here', 'query', 'logs.all'],
    ['/none/here', 'explain', 'logs.all'],
    ['/dev/null', 'serve'],
    ['/dev/null/below', 'serve'],
    ['/proc', 'serve'],
  ];
  test.each(folders)('an unusable folder for temporary files %s: %s', async (TMPDIR, ...argv) => {
    const { code, stderr } = await run([...argv, '--data', fixtures], { TMPDIR });
    expect(code).toBe(2);
    expect(stderr).toMatch(/^Cannot use the folder for temporary files \(TMPDIR\): [^\n]*\n$/);
  });

  test('a folder for temporary files with a question mark in its path', async () => {
    const TMPDIR = join(folder, 'odd?');
    mkdirSync(TMPDIR);
    const { code, stderr } = await run(['query', 'logs.all', '--data', fixtures], { TMPDIR });
    const why = `${TMPDIR}: its path must not contain a question mark`;
    expect([code, stderr]).toEqual([
      2,
      `Cannot use the folder for temporary files (TMPDIR): ${why}\n`,
    ]);
  });

  test('a missing data folder', async () => {
    const { code, stderr } = await run(['serve', '--data', '/none/here']);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^[^\n]*\/none\/here[^\n]*\n$/);
  });

  test('a port in use', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await once(taken, 'listening');
    const { port } = taken.address() as { readonly port: number };
    const { code, stderr } = await run(['serve', '--data', fixtures, '--port', String(port)]);
    taken.close();
    expect(code).toBe(2);
    expect(stderr).toContain(
      `Cannot listen on 127.0.0.1:${port}: the port is in use; --port 0 takes a free one\n`,
    );
  });

  test('faulty endpoints: serve exits with 2, check with 1, both listing every fault', async () => {
    const flags = ['--data', fixtures, '--endpoints', join(folder, 'endpoints')];
    const served = await run(['serve', '--port', '0', ...flags]);
    const checked = await run(['check', ...flags]);
    expect([served.code, checked.code]).toEqual([2, 1]);
    for (const text of [served.stderr, checked.stdout]) {
      expect(text).toContain('one.sql:2:4: unknown key: colour');
      expect(text).toMatch(/one\.sql:4:8: Unrecognized name: nothing_there/);
    }
  });
});

test.each([
  ['help', 'flags'],
  ['serve', '--help'],
])('%j prints the settings', async (...argv) => {
  const { code, stdout } = await run(argv);
  expect(code).toBe(0);
  expect(stdout).toContain('--max-concurrent-queries');
});

test('check of the shipped endpoints, with and without data', async () => {
  for (const flags of [[], ['--data', fixtures]]) {
    const { code, stdout, stderr } = await run(['check', ...flags]);
    expect([code, stderr]).toEqual([0, '']);
    expect(stdout).toMatch(/\b0 errors\n$/);
  }
});

test('query prints rows, or the refusal on standard error', async () => {
  const flags = ['--data', fixtures, '--now', '2026-03-10T12:00:00Z', '--format', 'ndjson'];
  const good = await run(['query', 'logs.all', '--param', 'project=bluefin', ...flags]);
  expect(good.code).toBe(0);
  expect(JSON.parse(good.stdout.split('\n')[0] ?? '')).toHaveProperty('event_message');
  const bad = await run(['query', 'logs.all', ...flags]);
  expect([bad.code, bad.stdout]).toEqual([1, '']);
  const why =
    'required: Missing required parameter project; the logs have bluefin, larkspur, quarry (--param project=VALUE)\n';
  expect(bad.stderr).toBe(why);
});

test('query reports bad lines on standard error', async () => {
  const data = join(folder, 'odd');
  mkdirSync(data);
  const line = '{"id": "a", "timestamp": "2026-03-10T11:00:00Z", "project": "bluefin"}';
  writeFileSync(join(data, 'edge_logs.ndjson'), `${line}\n{"id": \n`);
  const flags = ['--data', data, '--format', 'csv', '--param', 'project=bluefin'];
  const { code, stdout, stderr } = await run(['query', 'logs.all', ...flags]);
  expect([code, stdout.split('\n').length]).toEqual([0, 3]);
  expect(stderr).toBe('edge_logs.ndjson:2: not a JSON object\n');
});

test('explain takes the same flags as query', async () => {
  const { code, stdout, stderr } = await run(['explain', 'logs.all', '--lql', 'x s:id']);
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toContain("WHERE STRPOS(`edge_logs`.`event_message`, 'x') > 0\n");
});

test.each([
  ['lql', '-- lql: the LQL tree\n'],
  ['rewrite', '-- rewrite: fold constants\n'],
])('explain prints the stage %s only', async (stage, start) => {
  const { code, stdout } = await run(['explain', 'logs.all', '--lql', 'x s:id', '--stage', stage]);
  expect(code).toBe(0);
  expect(stdout.slice(0, start.length)).toBe(start);
  expect(new Set(stdout.match(/^-- \w+(?=:)/gm))).toEqual(new Set([`-- ${stage}`]));
});

test.runIf(existsSync('/dev/full'))('output that cannot be written is a failure', async () => {
  const command = `"${process.execPath}" "${main}" --help > /dev/full`;
  const ended = promisify(execFile)('bash', ['-c', command], { env: environmentWith({}) });
  await expect(ended).rejects.toMatchObject({ code: 2, stderr: expect.stringContaining('ENOSPC') });
});

test('a second signal ends a service immediately, even while a query runs', async () => {
  const argv = [main, 'serve', '--port', '0', '--data', fixtures];
  const child = spawn(process.execPath, argv, {
    env: environmentWith({ LOG_ENDPOINTS_TOKENS: token }),
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const [banner] = await once(child.stdout, 'data');
  const [url = ''] = /http:\/\/[\d.:]+/.exec(String(banner)) ?? [];
  const body = new URLSearchParams({ project: 'bluefin', sql: slowQuery });
  const address = `${url}/api/endpoints/query/logs.all`;
  const headers = { 'x-api-key': token };
  const answer = fetch(address, { method: 'POST', headers, body }).catch(() => undefined);
  await new Promise((resolve) => setTimeout(resolve, 500));
  child.kill('SIGTERM');
  await expect.poll(async () => (await fetch(`${url}/ready`)).status).toBe(503);
  await new Promise((resolve) => setTimeout(resolve, 500));
  child.kill('SIGTERM');
  // The signal in place of an exit code: it did not wait for the query.
  expect(await once(child, 'exit')).toEqual([null, 'SIGTERM']);
  expect(await answer).toBeUndefined();
});

describe('a service without tokens', () => {
  test('prints a new token and a working curl command, and exits with 0 on SIGTERM', async () => {
    const argv = [main, 'serve', '--port', '0', '--data', fixtures];
    const child = spawn(process.execPath, [...argv, '--now', '2026-03-10T12:00:00Z'], {
      env: environmentWith({}),
    });
    let output = '';
    const announced = new Promise<void>((resolve) => {
      child.stdout.on('data', (chunk) => {
        output += chunk;
        if (/^curl .*\n/m.test(output)) resolve();
      });
    });
    await Promise.race([announced, once(child, 'exit')]);
    const [curl = ''] = /^curl .*$/m.exec(output) ?? [];
    expect(curl).toContain('/logs.all?');
    const { stdout } = await promisify(execFile)('bash', ['-c', curl]);
    expect(JSON.parse(stdout).result.length).toBeGreaterThan(0);
    child.kill('SIGTERM');
    expect(await once(child, 'exit')).toEqual([0, null]);
  });

  test('leaves no temporary files', () => {
    expect(readdirSync(join(folder, 'temporary'))).toEqual([]);
  });

  test('removes the temporary files of a killed service, but not those of a running one', async () => {
    const argv = [main, 'serve', '--port', '0', '--data', fixtures];
    const start = async () => {
      const child = spawn(process.execPath, argv, { env: environmentWith({}) });
      let errors = '';
      child.stderr.on('data', (chunk) => {
        errors += chunk;
      });
      await once(child.stdout, 'data');
      const stop = (signal: NodeJS.Signals) => {
        child.kill(signal);
        return once(child, 'exit');
      };
      return { stop, lines: () => errors.match(/log-endpoints-[\w-]+: left by/g) ?? [] };
    };
    const [killed, living] = [await start(), await start()];
    await killed.stop('SIGKILL');
    const other = 'log-endpoints-999999999-0123456789ab-abcDEF';
    mkdirSync(join(folder, 'temporary', other));
    const next = await start();
    await expect.poll(next.lines).toEqual([`${other}: left by`]);
    await Promise.all([next.stop('SIGTERM'), living.stop('SIGTERM')]);
    expect(readdirSync(join(folder, 'temporary'))).toEqual([other]);
  });

  test('no configured token appears in the output', async () => {
    const port = { LOG_ENDPOINTS_PORT: 'x', LOG_ENDPOINTS_TOKENS: token };
    const { stdout, stderr } = await run(['serve'], port);
    expect(stdout + stderr).not.toContain(token);
  });
});
