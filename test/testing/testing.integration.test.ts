import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Refusal, start, type TestService } from 'log-endpoints/testing';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { fixtures, root } from '../support/paths.js';
import { childrenOf } from '../support/run-program.js';
import { test as withLogs } from './suite/logs.js';

const now = '2026-03-10T12:00:00Z';
const record = (id: string, status = 200) => ({
  id,
  timestamp: now,
  project: 'p',
  event_message: `GET /${id}`,
  metadata: { response: { status_code: status } },
});
const ids = async (service: TestService) => {
  const rows = await service.query<{ id: string }>('logs.all', {
    project: 'p',
    sql: 'select id from edge_logs order by id',
  });
  return rows.map(({ id }) => id);
};

/** Calls the tool for queries as a language model does, and returns the message in the answer. */
const callMcp = async ({ url, token }: TestService, sql: string): Promise<unknown> => {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: {
      'x-api-key': token,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'query_logs', arguments: { project: 'p', sql } },
    }),
  });
  return response.json();
};

let logs: TestService;
beforeAll(async () => {
  logs = await start({ now });
});
beforeEach(() => logs.reset());
afterAll(() => logs.close());

test('a test over three records', async () => {
  await logs.write('edge_logs', [record('a'), record('b', 500), record('c', 503)]);
  const sql = `select r.status_code >= 500 as failed, count(*) as n from edge_logs
    cross join unnest(metadata) as m cross join unnest(m.response) as r group by 1 order by 1`;
  const rows = await logs.query('logs.all', { project: 'p', sql });
  expect(rows).toEqual([
    { failed: false, n: 1 },
    { failed: true, n: 2 },
  ]);
});

test('a record without an id has the same one in every test', async () => {
  await logs.write('edge_logs', [{ timestamp: now, project: 'p', event_message: 'GET /' }]);
  expect(await ids(logs)).toEqual(['44971e2b8cf144316920a78797134a66']);
});

test('language models may use it, as they use a server', async () => {
  await logs.write('edge_logs', [record('a')]);
  expect(await callMcp(logs, 'select id, timestamp from edge_logs')).toMatchObject({
    result: { structuredContent: { rows: [{ id: 'a', timestamp: now }] } },
  });
});

test('a program that is not a test takes the same from the package itself', async () => {
  const own = await import('log-endpoints');
  expect([own.start, own.Refusal]).toEqual([start, Refusal]);
});

withLogs('the fixture of the documentation', async ({ logs: own }) => {
  await own.write('edge_logs', [record('own')]);
  expect(await ids(own)).toEqual(['own']);
  expect(await ids(logs)).toEqual([]);
});

describe('query', () => {
  test('throws the error object of the response', async () => {
    const refused = logs.query('logs.all', { project: 'p', sql: 'select mesage from edge_logs' });
    await expect(refused).rejects.toBeInstanceOf(Refusal);
    await expect(refused).rejects.toMatchObject({
      error: {
        code: 400,
        errors: [{ reason: 'invalidQuery', location: 'sql', line: 1, column: 8 }],
      },
    });
    await expect(logs.query('logs.al')).rejects.toThrow('did you mean logs.all?');
  });

  test('takes parameters as texts, numbers and instants; undefined ones are left out', async () => {
    await logs.write('edge_logs', [record('a')]);
    const count = (iso_timestamp_start: Date | undefined) =>
      logs.query('logs.all', {
        project: 'p',
        iso_timestamp_start,
        sql: 'select count(*) as n from edge_logs',
      });
    expect(await count(undefined)).toEqual([{ n: 1 }]);
    expect(await count(new Date('2026-03-10T12:00:01Z'))).toEqual([{ n: 0 }]);
  });
});

describe('write', () => {
  test('adds to what was written before', async () => {
    await logs.write('edge_logs', [record('a')]);
    await Promise.all([
      logs.write('edge_logs', [record('b')]),
      logs.write('edge_logs', [record('c')]),
    ]);
    await logs.write('edge_logs', []);
    expect(await ids(logs)).toEqual(['a', 'b', 'c']);
  });

  test('refuses what cannot be served, all of it', async () => {
    const noTime = { ...record('b'), timestamp: 'soon' };
    await expect(logs.write('edge_logs', [record('a'), noTime])).rejects.toThrow(
      'edge_logs: record 2: timestamp: missing or not readable',
    );
    expect(await ids(logs)).toEqual([]);
    await expect(logs.write('edge_log', [record('a')])).rejects.toThrow('did you mean edge_logs?');
  });
});

test('changes happen in the order of the calls, awaited or not', async () => {
  const first = logs.write('edge_logs', [record('a')]);
  // The refresh for `b` now waits for that of `a`; the one for `c` must not join it.
  await new Promise((resolve) => setImmediate(resolve));
  const rest = [logs.write('edge_logs', [record('b')]), logs.reset()];
  await Promise.all([first, ...rest, logs.write('edge_logs', [record('c')])]);
  expect(await ids(logs)).toEqual(['c']);
});

test('close lets everything finish, and refuses what comes later', async () => {
  const service = await start({ now });
  const writing = service.write('edge_logs', [record('a')]);
  const reading = ids(service);
  const closing = service.close();
  await expect(service.write('edge_logs', [record('b')])).rejects.toThrow('The service is closed');
  await expect(service.reset()).rejects.toThrow('The service is closed');
  await expect(ids(service)).rejects.toThrow('The service is closed');
  expect((await Promise.all([reading, writing, closing]))[0]).toBeInstanceOf(Array);
});

describe('reset and setNow', () => {
  afterEach(() => void vi.useRealTimers());
  const seconds = (service: TestService) =>
    service.query('logs.all', {
      project: 'p',
      sql: 'select unix_seconds(current_timestamp()) as s',
    });

  test('reset returns to the records and the instant at the start', async () => {
    await logs.write('edge_logs', [record('a')]);
    logs.setNow('2030-01-01T00:00:00Z');
    expect(await seconds(logs)).toEqual([{ s: Date.parse('2030-01-01T00:00:00Z') / 1000 }]);
    await logs.reset();
    expect(await seconds(logs)).toEqual([{ s: Date.parse(now) / 1000 }]);
    expect(await ids(logs)).toEqual([]);
    await logs.write('edge_logs', [record('b')]);
    expect(await ids(logs)).toEqual(['b']);
  });

  test('without an instant, it is that of Date.now(), which a test may have replaced', async () => {
    vi.useFakeTimers({ now: Date.parse('2031-01-01T00:00:00Z') });
    logs.setNow();
    expect(await seconds(logs)).toEqual([{ s: Date.parse('2031-01-01T00:00:00Z') / 1000 }]);
    vi.setSystemTime(Date.parse('2032-01-01T00:00:00Z'));
    expect(await seconds(logs)).toEqual([{ s: Date.parse('2032-01-01T00:00:00Z') / 1000 }]);
    await logs.write('edge_logs', [record('a')]);
    expect(await ids(logs)).toEqual(['a']);
  });

  test('language models get the same instant', async () => {
    const instant = 'select current_timestamp() as t from edge_logs';
    const rowOf = (t: string) => ({ result: { structuredContent: { rows: [{ t }] } } });
    await logs.write('edge_logs', [record('a')]);
    expect(await callMcp(logs, instant)).toMatchObject(rowOf(now));
    logs.setNow('2030-01-01T00:00:00Z');
    expect(await callMcp(logs, instant)).toMatchObject(rowOf('2030-01-01T00:00:00Z'));
    await logs.reset();
    await logs.write('edge_logs', [record('a')]);
    expect(await callMcp(logs, instant)).toMatchObject(rowOf(now));
  });

  test('an instant that is none is refused', () => {
    expect(() => logs.setNow('noon')).toThrow('not an ISO 8601 timestamp: noon');
  });
});

describe('start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'testing-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('takes a folder of logs, which it does not change, a folder of endpoints, and tokens', async () => {
    writeFileSync(
      join(folder, 'newest.sql'),
      'select id from `logs.edge_logs` order by id limit 1',
    );
    const scoped = { token: 'a-token-of-bluefin', project: 'bluefin', endpoints: ['logs.all'] };
    const options = {
      data: fixtures,
      endpoints: folder,
      now,
      tokens: ['a-token-of-tests', scoped],
    };
    const [one, other] = await Promise.all([start(options), start(options)]);
    const files = readdirSync(fixtures, { recursive: true });
    const [{ id }] = (await one.query<{ id: string }>('newest')) as [{ id: string }];
    await one.write('edge_logs', [record(' first')]);
    expect(await one.query('newest')).toEqual([{ id: ' first' }]);
    expect(await other.query('newest')).toEqual([{ id }]);
    expect(readdirSync(fixtures, { recursive: true })).toEqual(files);
    const get = (path: string, token: string) =>
      fetch(`${one.url}${path}`, { headers: { 'x-api-key': token } });
    expect((await get('/api/endpoints/query/newest', one.token)).status).toBe(200);
    expect((await get('/api/endpoints/query/newest', scoped.token)).status).toBe(404);
    expect((await get('/api/endpoints/query/logs.all?project=quarry', scoped.token)).status).toBe(
      403,
    );
    await Promise.all([one.close(), other.close(), other.close()]);
    await expect(fetch(one.url)).rejects.toThrow('fetch failed');
  });

  test('never writes into a folder that the data folder links to', async () => {
    const [data, linked] = [join(folder, 'data'), join(folder, 'linked')];
    for (const each of [data, linked]) mkdirSync(each);
    writeFileSync(join(linked, 'written-1.ndjson'), JSON.stringify(record('linked')));
    symlinkSync(linked, join(data, 'edge_logs'));
    const service = await start({ data, now });
    await service.write('edge_logs', [record('own')]);
    expect(await ids(service)).toEqual(['linked', 'own']);
    expect(readdirSync(linked)).toEqual(['written-1.ndjson']);
    await service.close();
  });

  test('takes a folder of sources, whose records have names of their own', async () => {
    const declared = {
      also_called: 'api',
      timestamp: 'time',
      event_message: 'msg',
      project: 'tenant',
    };
    writeFileSync(join(folder, 'api_logs.json'), JSON.stringify(declared));
    const service = await start({ sources: folder });
    await service.write('api', [{ time: now, msg: 'hello', tenant: 'p' }]);
    const sql = 'select event_message as m from api_logs';
    expect(await service.query('logs.all', { project: 'p', sql })).toEqual([{ m: 'hello' }]);
    await service.close();
  });

  test('refuses options and files that are faulty', async () => {
    await expect(start({ now: 'noon' })).rejects.toThrow('--now must be an ISO 8601 timestamp');
    await expect(start({ tokens: ['short'] })).rejects.toThrow('at least 16 characters');
    const bad = join(folder, 'bad');
    mkdirSync(bad);
    writeFileSync(join(bad, 'edge_logs.ndjson'), 'no json\n');
    await expect(start({ data: bad })).rejects.toThrow(`${bad}: no file can be read`);
    await expect(start({ data: join(folder, 'none') })).rejects.toThrow(
      'no such file or directory',
    );
  });
});

test('an engine process that is gone is replaced', async () => {
  await logs.write('edge_logs', [record('a')]);
  const [worker = 0] = childrenOf(process.pid).filter((pid) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('testing'),
  );
  process.kill(worker, 'SIGKILL');
  while (existsSync(`/proc/${worker}`)) await new Promise((resolve) => setImmediate(resolve));
  expect(await ids(logs)).toEqual(['a']);
  await logs.write('edge_logs', [record('b')]);
  expect(await ids(logs)).toEqual(['a', 'b']);
});

test.each([
  ['ends without close', 'true'],
  ['is killed', "process.kill(process.pid, 'SIGKILL')"],
])('nothing is left when the test process %s', async (_how, end) => {
  const temporary = mkdtempSync(join(tmpdir(), 'testing-'));
  const module = join(root, 'dist/testing.js');
  const script = `import { start } from ${JSON.stringify(module)};
    const logs = await start();
    console.log((await logs.query('logs.all', { project: 'p', sql: 'select 1 as n' }))[0].n);
    ${end};`;
  const process = spawn('node', ['--input-type=module', '-e', script], {
    env: { PATH: globalThis.process.env['PATH'], TMPDIR: temporary },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  process.stdout.on('data', (chunk) => {
    output += chunk;
  });
  await once(process, 'close');
  expect(output).toBe('1\n');
  // The worker ends last; it removes the folder before.
  while (readdirSync(temporary).length > 0) await new Promise((resolve) => setTimeout(resolve, 20));
  rmSync(temporary, { recursive: true });
});
