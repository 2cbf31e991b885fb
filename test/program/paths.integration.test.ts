import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { main } from '../support/paths.js';

const token = 'a-token-of-the-tests-0123456789';
const pino = (msg: string, more: object = {}) =>
  `${JSON.stringify({ level: 30, time: 1773144000000, pid: 7, hostname: 'web', msg, ...more })}\n`;
const winston = `{"level":"info","message":"up","timestamp":"2026-03-10T12:00:00Z"}\n`;
const record = `{"id":"a","timestamp":"2026-03-10T12:00:00Z","event_message":"own","metadata":{"n":1}}\n`;

let folder = '';
const children = new Set<ChildProcess>();
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'paths-'));
  for (const name of ['logs', 'logs/api', 'a', 'b', 'tmp', 'serve', 'empty'])
    mkdirSync(join(folder, name));
  write('app.log', pino('one') + pino('two'));
  write('no-suffix', pino('bare'));
  write('web-1.ndjson', pino('dashed'));
  write('own.ndjson', record);
  write('edge-logs.ndjson', record);
  write('odd.txt', 'nobody\0knows\n');
  write('notes.txt', 'one\n\ttwo\n');
  write('nothing.log', '');
  write('logs/app.log', pino('three'));
  write('logs/app.log.1', pino('zero'));
  write('logs/front.winston.log', winston);
  write('logs/api/1.log', pino('below'));
  write('logs/.hidden.log', pino('hidden'));
  write('a/access.log', pino('of a'));
  write('b/access.log', pino('of b') + pino('of b'));
  write('serve/api.log', pino('of a folder called serve'));
});
afterAll(async () => {
  await Promise.all([...children].map(stop));
  rmSync(folder, { recursive: true, force: true });
});

function start(argv: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore') {
  const { PATH } = process.env;
  const env = { PATH, TMPDIR: join(folder, 'tmp'), LOG_ENDPOINTS_TOKENS: token };
  const settings = { LOG_ENDPOINTS_CACHE_DIR: join(folder, 'cache'), LOG_ENDPOINTS_THREADS: '1' };
  const child = spawn(process.execPath, [main, ...argv], {
    cwd: folder,
    env: { ...env, ...settings },
    stdio: [stdin, 'pipe', 'pipe'],
  });
  const texts = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    child[name]?.on('data', (chunk) => {
      texts[name] += chunk;
    });
  }
  children.add(child);
  return { child, texts };
}

async function stop(child: ChildProcess): Promise<void> {
  children.delete(child);
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}

async function run(argv: readonly string[], input?: string) {
  const { child, texts } = start(argv, input === undefined ? 'ignore' : 'pipe');
  child.stdin?.end(input);
  const [code] = await once(child, 'close');
  children.delete(child);
  return { code, ...texts };
}

/** The answer to a query over files. */
async function ask(paths: readonly string[], sql: string, input?: string) {
  const flags = ['--param', 'project=default', '--format', 'csv', '--sql', sql];
  const { stdout, stderr } = await run(['query', ...paths, ...flags], input);
  return { rows: stdout.trim().split('\r\n').slice(1), told: stderr };
}

async function until<T>(get: () => T | Promise<T>, isDone: (value: T) => boolean): Promise<T> {
  for (let tries = 0; ; tries += 1) {
    const value = await get();
    if (isDone(value) || tries > 200) return value;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Serves files; the result asks a query and gives its rows. */
async function serve(argv: readonly string[], stdin: 'ignore' | 'pipe' = 'ignore') {
  const { child, texts } = start(argv, stdin);
  const isUp = () => /explorer: |curl/.test(texts.stdout) || child.exitCode !== null;
  await until(isUp, Boolean);
  const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(texts.stdout) ?? [texts.stderr];
  const query = async (sql: string) => {
    const where = `${url}/api/endpoints/query/logs.all?project=default&sql=${encodeURIComponent(sql)}`;
    const response = await fetch(where, { headers: { 'x-api-key': token } });
    const { result } = (await response.json()) as { readonly result: unknown };
    return JSON.stringify(result);
  };
  return { child, texts, url, query };
}

const count = 'select count(*) from ';

test('times without an offset are those of --timezone', async () => {
  const winston = '{"level":"info","message":"up","timestamp":"2026-07-10 12:00:00"}\n';
  write('zoned.log', '2026-01-10 12:00:00,5 INFO a\n2026-01-10 12:00:00Z INFO b\n');
  write('zoned.json', winston);
  const asked = (table: string, ...flags: readonly string[]) =>
    ask(
      [...flags, `zoned.${table === 'zoned' ? 'log' : 'json'}`],
      'select timestamp from zoned order by event_message',
    );
  const berlin = ['--timezone', 'Europe/Berlin'];
  expect((await asked('zoned')).rows).toEqual([
    '2026-01-10T12:00:00.500000Z',
    '2026-01-10T12:00:00Z',
  ]);
  expect((await asked('zoned', ...berlin)).rows).toEqual([
    '2026-01-10T11:00:00.500000Z',
    '2026-01-10T12:00:00Z',
  ]);
  expect((await asked('json', ...berlin)).rows).toEqual(['2026-07-10T10:00:00Z']);
  expect((await asked('json', '--timezone', 'Mars')).told).toContain(
    '--timezone must be a time zone such as Europe/Berlin',
  );
});

test('a path that does not exist among several of --data is named', async () => {
  const { told } = await ask(['--data', 'logs', '--data', 'app.lgo'], `${count}app`);
  expect(told).toContain('there is no file or folder app.lgo; did you mean app.log?');
});

describe('files of a query', () => {
  test.each<[readonly string[], string, string, string]>([
    [['app.log'], 'app', '2', 'app.log -> table app: pino, 2 of 2 lines; --as app=… to change'],
    [['logs.all', 'app.log'], 'app', '2', 'app.log -> table app'],
    [['app.log', 'logs.all'], 'app', '2', 'app.log -> table app'],
    [['./app.log', 'app.log'], 'app', '2', 'app.log -> table app'],
    [['app.log', 'web-1.ndjson'], 'web_1', '1', 'web-1.ndjson -> table web_1: pino, 1 of 1 lines'],
    [['notes.txt'], 'notes', '1', 'notes.txt -> table notes: text'],
    [
      ['notes.txt'],
      'notes',
      '1',
      'notes.txt: no record has a time; the time of the file is theirs',
    ],
    [['--data', 'app.log'], 'app', '2', 'app.log -> table app: pino'],
    [['--data', 'web-1.ndjson', '--data', 'logs'], 'app', '2', 'web-1.ndjson -> table web_1'],
    [['no-suffix'], 'no_suffix', '1', 'no-suffix -> table no_suffix: pino'],
    [['own.ndjson'], 'own', '1', 'own.ndjson -> table own: log-endpoints'],
    [['edge-logs.ndjson', '--param', 'project='], 'edge_logs', '0', 'table edge_logs: as declared'],
    [['logs'], 'app', '2', 'logs/app.log and 1 more -> table app: pino, 2 of 2 lines'],
    [['logs'], 'front', '1', 'logs/front.winston.log -> table front: winston'],
    [['logs'], 'api', '1', 'logs/api/1.log -> table api: pino'],
    [['logs', 'app.log'], 'logs_app', '2', 'app.log -> table'],
    [['a/access.log', 'b/access.log'], 'b_access', '2', 'a/access.log -> table a_access'],
    [['logs.all', '--data', 'b'], 'access', '2', 'access.log -> table access: pino, 2 of 2 lines'],
    [['nothing.log', 'app.log'], 'nothing', '0', 'nothing.log -> table nothing'],
    [['odd.txt', 'app.log'], 'app', '2', 'odd.txt is not read: it is binary; to read it'],
    [['odd.txt', '--as', 'odd=pino', 'app.log'], 'app', '2', 'odd.txt -> table odd: pino, 0 of 1'],
    [['app.log', 'a', '--as', 'access=none'], 'app', '2', 'app.log -> table app'],
  ])('%j has table %s', async (paths, table, expected, line) => {
    const { rows, told } = await ask(paths, `${count}${table}`);
    expect(told).toContain(line);
    expect(rows).toEqual([expected]);
  });

  test('a start reads what an earlier one has stored', async () => {
    await ask(['app.log'], `${count}app`);
    const { told } = await ask(['app.log'], `${count}app`);
    expect(told).toBe('app.log -> table app: pino, 2 of 2 lines; --as app=… to change\n');
  });

  test('a folder of --data and other files, which may be the same', async () => {
    const { rows, told } = await ask(
      ['--data', 'a', 'a/access.log', 'app.log', '--as', 'access=pino'],
      `${count}access`,
    );
    expect(rows).toEqual(['1']);
    expect(told).toContain(`${join(folder, 'app.log')} -> table app: pino`);
  });

  test('check and explain take them too', async () => {
    const { stdout } = await run(['check', 'app.log', 'logs']);
    expect(stdout).toContain('app.log -> table');
    expect(stdout).toContain('logs/front.winston.log -> table front: winston, 1 of 1 lines');
    const flags = ['--stage', 'print', '--sql', `${count}app`];
    expect((await run(['explain', 'app.log', ...flags])).code).toBe(0);
  });
});

test.each([
  [['--data', 'empty'], 'empty'],
  [['empty'], 'what the command line names'],
])('serve %j says in a sentence that there is no log file', async (words, place) => {
  const { texts, child } = await serve(['serve', ...words, '--port', '0']);
  await stop(child);
  expect(texts.stderr).toMatch(new RegExp(`^There is no log file in ${place}, so every table`));
  expect(texts.stderr).not.toContain('"load"');
});

test('the log-endpoints.json of the folder is used, and a line says so', async () => {
  const settings = { data: 'a', format: 'csv' };
  write('log-endpoints.json', JSON.stringify({ settings }));
  const { stdout, stderr } = await run(['query', '--sql', `${count}access`]);
  rmSync(join(folder, 'log-endpoints.json'));
  expect(stdout.split('\r\n')[1]).toBe('1');
  expect(stderr).toMatch(/^log-endpoints\.json is used\n/);
});

test('check prints errors as commands for GitHub, with the path of the file', async () => {
  mkdirSync(join(folder, 'own-endpoints'));
  write('own-endpoints/odd.sql', '-- colour: red\n--\nselect 1 as n\n');
  const flags = ['--endpoints', 'own-endpoints', '--format', 'github'];
  const { stdout, code } = await run(['check', ...flags]);
  expect({ stdout, code }).toEqual({
    stdout: expect.stringMatching(
      /^::error file=own-endpoints\/odd.sql,line=1,col=4::unknown key: colour.*\n3 endpoints, 1 error\n$/,
    ),
    code: 1,
  });
});

describe('a pipe that ends', () => {
  test('is the source stdin, or what --as calls it', async () => {
    const { rows, told } = await ask(['-'], `${count}stdin`, pino('x').repeat(3));
    expect(told).toBe('- -> table stdin: pino, 3 of 3 lines; --as stdin=… to change\n');
    expect(rows).toEqual(['3']);
    const named = await ask(['-', '--as', 'web=winston'], `${count}web`, winston);
    expect(named).toMatchObject({
      rows: ['1'],
      told: expect.stringContaining('table web: winston'),
    });
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });

  test('mcp has no other standard input', async () => {
    const { code, stderr } = await run(['mcp', '-'], '');
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'mcp reads questions from standard input, so - cannot be a log\n',
    });
  });
});

describe('faults', () => {
  test.each<[readonly string[], string]>([
    [['ap.log'], 'there is no file or folder ap.log either; did you mean app.log?'],
    [['chek'], 'did you mean check?'],
    [['serve', 'ap.log'], 'there is no file or folder ap.log; did you mean app.log?'],
    [['check', 'logs/ap.log'], 'no file or folder logs/ap.log; did you mean logs/app.log?'],
    [
      ['query', 'logs.all', 'ap.log'],
      'there is no endpoint ap.log; there is no file or folder ap.log',
    ],
    [['query', 'ap.log', '--sql', 'select 1'], 'did you mean app.log?'],
    [['query', 'logs.al', 'logs.all', 'app.log'], 'did you mean logs.all?'],
    [['query', 'odd.txt', '--sql', 'select 1'], 'odd.txt is not read: it is binary'],
    [['query', 'app.log', '--as', 'app=pno', '--sql', 'select 1'], 'did you mean pino?'],
  ])('%j', async (argv, line) => {
    const { code, stderr } = await run(argv);
    expect(stderr).toContain(line);
    expect(code).toBe(2);
  });

  test('a verb wins over a folder of that name', async () => {
    expect((await run(['serve'])).stderr).toContain('--data is missing');
    const { rows } = await ask(['./serve'], `${count}api`);
    expect(rows).toEqual(['1']);
  });
});

describe('a server without a verb', () => {
  test('takes the next free port, and follows a file through its rotation', async () => {
    const blocker = createServer();
    const isFree = await new Promise<boolean>((resolve) => {
      blocker.once('error', () => resolve(false)).listen(4000, '127.0.0.1', () => resolve(true));
    });
    write('rotated.log', pino('first'));
    write('rotated.log.1', pino('of yesterday'));
    const { texts, url, query, child } = await serve(['rotated.log']);
    expect(Number(url.split(':').at(-1))).toBeGreaterThan(4000);
    const line = 'rotated.log -> table rotated: pino, 1 of 1 lines; --as rotated=… to change';
    expect(texts.stderr).toContain(line);
    expect(texts.stderr).not.toContain('explorer: ');
    await until(() => texts.stdout.includes('curl '), Boolean);
    expect(texts.stdout).toMatch(/^explorer: .*#endpoint=logs\.rotated$/m);
    expect(texts.stdout).toMatch(/query\/logs\.rotated'$/m);
    appendFileSync(join(folder, 'rotated.log'), pino('second'));
    expect(
      await until(
        () => query(`${count}rotated`),
        (rows) => rows.includes('2'),
      ),
    ).toContain('2');
    renameSync(join(folder, 'rotated.log.1'), join(folder, 'rotated.log.2'));
    renameSync(join(folder, 'rotated.log'), join(folder, 'rotated.log.1'));
    write('rotated.log', pino('third'));
    expect(
      await until(
        () => query(`${count}rotated`),
        (rows) => rows.includes('3'),
      ),
    ).toContain('3');
    const names = 'select event_message as m from rotated order by m';
    expect(await query(names)).toBe('[{"m":"first"},{"m":"second"},{"m":"third"}]');
    await stop(child);
    if (isFree) await new Promise((resolve) => blocker.close(resolve));
  });

  test('of several files has a link to each, and one to all', async () => {
    for (const name of ['one', 'two']) write(`${name}.log`, pino(name));
    const { texts, child } = await serve(['one.log', 'two.log', '--port', '0']);
    await until(() => texts.stdout.includes('curl '), Boolean);
    expect(texts.stderr.match(/#endpoint=logs\.\w+/g)).toEqual(
      ['one', 'two'].map((name) => `#endpoint=logs.${name}`),
    );
    expect(texts.stdout).toMatch(/^explorer: .*#endpoint=logs\.all&p\.project=default$/m);
    await stop(child);
  });

  test('another port that is taken is an error', async () => {
    const blocker = createServer().listen(0, '127.0.0.1');
    await once(blocker, 'listening');
    const address = blocker.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, stderr } = await run(['app.log', '--port', `${port}`]);
    expect(code).toBe(2);
    expect(stderr).toContain('the port is in use');
    blocker.close();
  });

  test('takes new files of a folder', async () => {
    const { query, child } = await serve(['empty', '--port', '0']);
    write('empty/new-one.log', pino('new'));
    const rows = await until(
      () => query(`${count}new_one`),
      (text) => text?.includes('1') ?? false,
    );
    expect(rows).toContain('1');
    await stop(child);
  });
});

describe('a pipe that goes on', () => {
  test('is served while it comes, and is gone with the server', async () => {
    const { child, texts } = start(['-', '--port', '0'], 'pipe');
    child.stdin?.write(pino('one') + pino('two'));
    await until(() => texts.stdout.includes('explorer: '), Boolean);
    expect(texts.stderr).toContain('- -> table stdin: pino, 2 of 2 lines');
    const [temporary = ''] = readdirSync(join(folder, 'tmp'), {
      recursive: true,
      encoding: 'utf8',
    }).filter((name) => name.endsWith('/stdin'));
    expect(statSync(join(folder, 'tmp', temporary)).mode & 0o777).toBe(0o600);
    const [url = ''] = /http:\/\/127\.0\.0\.1:\d+/.exec(texts.stdout) ?? [];
    const sum = async () => {
      const where = `${url}/api/endpoints/query/logs.all?project=default&sql=${count}stdin`;
      const response = await fetch(where, { headers: { 'x-api-key': token } });
      return response.text();
    };
    child.stdin?.write(pino('three'));
    expect(await until(sum, (text) => text.includes('3'))).toContain('3');
    child.stdin?.end(pino('four').trimEnd());
    expect(await until(sum, (text) => text.includes('4'))).toContain('4');
    await stop(child);
    expect(readdirSync(join(folder, 'tmp'))).toEqual([]);
  });
});
