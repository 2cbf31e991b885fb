import { afterAll, beforeAll, expect, test } from 'vitest';
import { query } from '../../src/cli/query.js';
import { readCommand } from '../../src/config/config.js';
import { createScope } from '../../src/endpoint/scope.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { createRunEndpoint, type RunEndpoint } from '../../src/run/run-endpoint.js';
import type { RunRequest } from '../../src/run/run-request.js';
import { openServices } from '../../src/start/start-up.js';
import { makeFolder } from '../support/load-logs.js';

// A source that is not shipped has an endpoint of its own.
const line = (more: object) => JSON.stringify({ time: '2026-03-10T11:59:59Z', msg: 'up', ...more });
const data = makeFolder({
  'app.pino.ndjson': [line({ project: 'acme' }), line({ project: 'other', level: 50 })].join('\n'),
  'all.pino.ndjson': line({}),
  'mine.pino.ndjson': line({}),
});
const endpoints = makeFolder({ 'logs.mine.sql': 'select 1 as one' });

function settingsOf(...words: readonly string[]) {
  const command = readCommand(
    ['query', 'logs.app', '--data', data, '--no-disk-cache', ...words],
    {},
  );
  if (command.verb !== 'query') throw new Error('not the verb');
  return command.settings;
}

let run: RunEndpoint;
let names: readonly string[];
let close: () => Promise<void>;
const warnings: string[] = [];

beforeAll(async () => {
  const opened = await openServices(settingsOf('--endpoints', endpoints), openDuckDbEngine, {
    spare: () => 1,
    onRenewalFailure: () => {},
    onWarning: (warning) => warnings.push(warning),
  });
  run = createRunEndpoint(opened);
  names = opened.catalog.endpoints.map(({ name }) => name);
  close = () => opened.serving.close();
}, 60_000);
afterAll(() => close());

async function ask(endpoint: string, bound?: string, own?: string | RunRequest['sandbox']) {
  const { result } = await run({
    endpoint,
    parameters: new Map(),
    ...(own && { sandbox: typeof own === 'string' ? { language: 'sql', text: own } : own }),
    clock: { now: '2026-03-10T12:00:00.000000+00:00', fixed: true },
    redact: false,
    signal: new AbortController().signal,
    caller: '',
    scope: createScope(bound === undefined ? {} : { project: bound }),
  });
  return JSON.parse(Buffer.from(result.body).toString()) as unknown;
}

test('each source that is not shipped has one, and a shipped source has none', () => {
  expect(names).toEqual(expect.arrayContaining(['logs.all', 'logs.all_', 'logs.app']));
  expect(names).not.toContain('logs.edge_logs');
});

test('it answers with the records of all projects, or of one', async () => {
  expect(await ask('logs.app')).toMatchObject([{ event_message: 'up' }, { event_message: 'up' }]);
  const sql = 'select project, level from app';
  expect(await ask('logs.app', 'other', sql)).toEqual([{ project: 'other', level: 'error' }]);
});

test('a token that is bound to a project reads no other', async () => {
  expect(await ask('logs.app', 'acme')).toMatchObject([{ project: 'acme', level: null }]);
  expect(await ask('logs.app', 'nobody')).toEqual([]);
  expect(await ask('logs.app', 'acme', 'select count(*) as n from app')).toEqual([{ n: 1 }]);
});

test.each(['level:warning..critical', 'm.level:warning..critical', 'm.level:error..fatal'])(
  'LQL finds numbers of loggers by %s',
  async (range) => {
    const lql = { language: 'lql', text: `f:app ${range} s:event_message` } as const;
    expect(await ask('logs.app', 'other', lql)).toEqual([{ event_message: 'up' }]);
    expect(await ask('logs.app', 'acme', lql)).toEqual([]);
  },
);

test("an author's endpoint of that name wins, which is said once", async () => {
  expect(await ask('logs.mine')).toEqual([{ one: 1 }]);
  const replaced = warnings.filter((warning) => warning.includes('logs.mine.sql'));
  expect(replaced).toEqual([`${endpoints}/logs.mine.sql replaces logs.mine.sql of the sources`]);
});

test('a query without a project gets the only one, and else lists them', async () => {
  const notes: string[] = [];
  const onWarning = (note: string) => notes.push(note);
  const one = makeFolder({ 'app.pino.ndjson': line({ project: 'acme' }) });
  const sql = ['--sql', 'select count(*) as n from app'];
  const settings = { ...settingsOf(...sql), data: one };
  expect(String(await query(settings, 'logs.all', { onWarning }))).toBe('{"result":[{"n":1}]}\n');
  expect(notes).toContain('project acme, the only one');
  await expect(query(settingsOf(...sql), 'logs.all')).rejects.toThrow(
    'Missing required parameter project; the logs have acme, default, other',
  );
});
