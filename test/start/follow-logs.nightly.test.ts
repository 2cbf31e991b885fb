import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pino from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCommand } from '../../src/config/config.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { load } from '../../src/logs/load/load.js';
import { createRunEndpoint, type RunEndpoint } from '../../src/run/run-endpoint.js';
import { createRefreshEndpoints, type RefreshEndpoints } from '../../src/start/follow-endpoints.js';
import { createFollower, type Follower } from '../../src/start/follow-logs.js';
import { createCheckPreset } from '../../src/start/follow-preset.js';
import { endpointFolders, openServices } from '../../src/start/start-up.js';
import { makeFolder } from '../support/load-logs.js';
import { requestOf } from '../support/request-of.js';

// Sources that come, change and go while the service runs. The tests run in this order.

const at = '2026-03-10T11:59:59Z';
const record = (more: object) => `${JSON.stringify({ timestamp: at, project: 'p', ...more })}\n`;
const data = makeFolder({ 'edge_logs.ndjson': record({ event_message: 'edge' }) });
const sources = makeFolder({ 'early.json': '{}' });
const root = makeFolder({ 'preset.json': '{}' });
const cacheDir = join(root, 'cache');
const preset = join(root, 'preset.json');
const declare = (name: string, source: object | string) =>
  writeFileSync(
    join(sources, `${name}.json`),
    typeof source === 'string' ? source : JSON.stringify(source),
  );
const write = (name: string, content: string) => writeFileSync(join(data, name), content);

const told: Record<string, unknown>[] = [];
const log = pino({}, { write: (line: string) => void told.push(JSON.parse(line)) });
const loaded: string[] = [];
let run: RunEndpoint;
let follower: Follower;
let refreshEndpoints: RefreshEndpoints;
let checkPreset: () => void;
let close: () => Promise<void>;

beforeAll(async () => {
  const flags = ['--data', data, '--sources', sources, '--cache-dir', cacheDir, '--preset', preset];
  const command = readCommand(['serve', ...flags, '--threads', '1', '--watch'], {});
  if (command.verb !== 'serve') throw new Error('not the verb');
  const { settings } = command;
  const opened = await openServices(settings, openDuckDbEngine, {
    spare: () => 1,
    onRenewalFailure: () => {},
    load: (options) => {
      loaded.push(options.sources.flatMap(({ files }) => files.map(({ name }) => name)).join(' '));
      return load(options);
    },
  });
  const { logs: first, allLogs: logs } = opened;
  const folders = (declared: typeof first.declared) => endpointFolders(settings, declared);
  refreshEndpoints = createRefreshEndpoints({ ...opened, folders, log }, first.declared);
  follower = createFollower({ ...opened, first, logs, log });
  checkPreset = createCheckPreset(preset, log);
  run = createRunEndpoint(opened);
  close = () => opened.serving.close();
});
afterAll(async () => {
  await follower.close();
  await close();
  for (const folder of [data, sources, root]) rmSync(folder, { recursive: true });
});

async function ask(sql: string, project = 'p'): Promise<unknown> {
  const { result } = await run(requestOf({ project, sql }));
  return JSON.parse(Buffer.from(result.body).toString());
}

/** Refreshes the logs, and returns the entries of the service's log about that. */
async function refresh(): Promise<readonly object[]> {
  told.length = 0;
  loaded.length = 0;
  await follower.refresh().catch(() => {});
  return told.map(({ msg, added, changed, removed, line, problem }) =>
    Object.fromEntries(
      Object.entries({ msg, added, changed, removed, line, problem }).filter(
        ([, value]) => value !== undefined,
      ),
    ),
  );
}

const dataLine = { msg: 'data' };
const change = (more: object) => ({ msg: 'sources', added: [], changed: [], removed: [], ...more });

// Each refresh that loads takes a quarter of a second, so several changes share one.

test('the first file of a declared source is served; a file without a declaration is named once, until it is declared', async () => {
  write('early.ndjson', record({ event_message: 'first' }));
  write('late.ndjson', `${JSON.stringify({ at, text: 'declared', title: 'changed' })}\n`);
  const why = 'late.ndjson is ignored: its lines have no time; to read them';
  expect(await refresh()).toEqual([
    { msg: 'load', line: expect.stringContaining(why.slice(0, 50)) },
    dataLine,
  ]);
  expect(await ask('select event_message as m from early')).toEqual([{ m: 'first' }]);
  expect(await refresh()).toEqual([]);
  declare('late', { timestamp: 'at', event_message: 'text' });
  expect(await refresh()).toEqual([change({ added: ['late'] }), dataLine]);
  expect(await ask('select event_message as m from late', 'default')).toEqual([{ m: 'declared' }]);
  // Other sources are not loaded again.
  expect(loaded).toEqual(['late.ndjson']);
});

test('a declaration with faults is named once; the old one and new lines are served', async () => {
  declare('late', '{"timestamp"');
  mkdirSync(join(data, 'early'));
  write('early/2.ndjson', record({ event_message: 'second' }));
  const [problem, ...others] = await refresh();
  expect(problem).toMatchObject({ msg: 'sources', problem: expect.stringContaining('late.json') });
  expect(others).toEqual([dataLine]);
  expect(await ask('select count(*) as n from early')).toEqual([{ n: 2 }]);
  expect(await ask('select event_message as m from late', 'default')).toEqual([{ m: 'declared' }]);
  expect(await refresh()).toEqual([]);
  await expect(follower.refresh()).rejects.toThrow('late.json');
});

test('a declaration that changes counts for the lines that were loaded; shapes and presets bring sources', async () => {
  declare('late', { also_called: 'recent', timestamp: 'at', event_message: 'title' });
  write('api.pino.ndjson', `${JSON.stringify({ time: Date.parse(at), msg: 'up' })}\n`);
  const text = {
    settings: { 'header-prefix': 'LF' },
    sources: { late_too: {} },
    endpoints: { mine: ['select count(*) as n from `logs.late_too`'] },
  };
  writeFileSync(preset, JSON.stringify(text));
  expect(await refresh()).toEqual([
    { msg: 'the declared sources have no errors' },
    change({ added: ['late_too', 'api'], changed: ['late'] }),
    dataLine,
  ]);
  expect(await ask('select event_message as m from recent', 'default')).toEqual([{ m: 'changed' }]);
  expect(await ask('select event_message as m from api', 'default')).toEqual([{ m: 'up' }]);
});

test('the endpoints of a preset are served, and its settings need another start', async () => {
  told.length = 0;
  checkPreset();
  checkPreset();
  await refreshEndpoints(follower.current().declared);
  expect(told).toMatchObject([
    { msg: 'preset: restart to apply its settings', settings: ['header-prefix'] },
    { msg: 'endpoints', added: ['mine', 'logs.late', 'logs.api'] },
  ]);
});

test('a source that is no longer declared is not served, and its tables are not kept; an endpoint that reads it is named', async () => {
  writeFileSync(preset, '{"endpoints":{"mine":["select count(*) as n from `logs.late_too`"]}}');
  rmSync(join(sources, 'late.json'));
  rmSync(join(data, 'api.pino.ndjson'));
  expect(await refresh()).toMatchObject([
    change({ removed: ['late_too', 'late', 'api'] }),
    { msg: 'load', line: expect.stringContaining('late.ndjson') },
    dataLine,
  ]);
  await expect(ask('select 1 as n from late')).rejects.toThrow('late');
  expect(await ask('select event_message as m from edge_logs')).toEqual([{ m: 'edge' }]);
  expect(readdirSync(cacheDir).length).toBeLessThan(10);
  told.length = 0;
  await expect(refreshEndpoints(follower.current().declared)).rejects.toThrow('mine.sql:1:');
});
