import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { DuckDBInstance } from '@duckdb/node-api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readCommand } from '../../src/config/config.js';
import { createScope } from '../../src/endpoint/scope.js';
import { openDuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { createRunEndpoint, type RunEndpoint } from '../../src/run/run-endpoint.js';
import { openServices } from '../../src/start/start-up.js';
import { makeFolder } from '../support/load-logs.js';

// Logs of other programs, as they are, in one folder: each file needs a name and no more.
const at = '2026-03-10T11:59:59.000Z';
const pino = (more: object) =>
  JSON.stringify({ level: 30, time: Date.parse(at), msg: 'up', ...more });
const own = (tenant: unknown, more: object = {}) =>
  JSON.stringify({ at, text: `of ${tenant}`, labels: { tenant }, ...more });

const sources = makeFolder({
  'app_logs.json': JSON.stringify({
    also_called: ['app', 'backend'],
    timestamp: 'at',
    event_message: 'text',
    project: 'labels.tenant',
  }),
  'mixed.json': '{"timestamp":"at","event_message":"text","project":"labels.tenant"}',
  'alone.json': '{"timestamp":"at","event_message":"text","project":"labels.tenant"}',
  'plain.json': '{}',
  'unseen.json': '{"also_called":"never"}',
  'fixed.json': '{"project":{"constant":"acme"}}',
  'lined.json':
    '{"project":"metadata.org","fields":{"metadata.org":"STRING","level":"STRING","Step":"INT64"}}',
});
const others = Array.from({ length: 3_000 }, (_, index) =>
  own('other', { n: index, secret: `s${index % 7}` }),
);
const mine = [own('mine', { n: -1, secret: 'mine' }), own('mine', { n: -2, secret: null })];
const data = makeFolder({
  'edge_logs.pino.ndjson': `${pino({ reqId: 'a' })}\n${pino({ project: 'acme', msg: 'two' })}\nno json\n{"level":30,"msg":"late"}\n`,
  'function_logs.pino.ndjson': `${pino({ project: 'acme', project_ref: 'other' })}\n`,
  'svc.bunyan.ndjson': `{"name":"a","level":30,"msg":"up","time":"${at}","v":0}\n`,
  'api.winston.jsonl': `{"level":"info","message":"up","timestamp":"${at}"}\n`,
  'web/access.ndjson': `{"time_iso8601":"${at}","request":"GET / HTTP/1.1","status":"200"}\n`,
  'host.journald.ndjson': `{"__REALTIME_TIMESTAMP":"1773143999000000","MESSAGE":"up","PRIORITY":"6"}\n`,
  'box.docker.ndjson': `{"log":"up\\n","stream":"stdout","time":"2026-03-10T11:59:59.000000001Z"}\n`,
  'app_logs/1.ndjson.gz': gzipSync(`${own('mine', { n: 9007199254740993n.toString() })}\n`),
  'app_logs/2.json': `[\n  ${own('mine')},\n  ${own('other')}\n]`,
  'backend.ndjson': `${own('mine')}\n${own(undefined)}\n${own({ a: 1 })}\n{"at":"${at}","project":"mine",}\n`,
  'postgres_logs.ndjson': `{"id":"p","timestamp":"${at}","event_message":"up","project":"acme"}\n`,
  'plain.ndjson': `{"timestamp":"${at}","event_message":"up","metadata":[{"a":1}],"b":2}\n{"timestamp":"${at}","project":"acme"}\n`,
  'fixed.ndjson': `{"timestamp":"${at}","event_message":"up","project":"other"}\n`,
  'lined.ndjson': `{"timestamp":"${at}","level":"low","metadata":[{"org":"first"},{"org":"only here"}]}\n`,
  'mixed.ndjson': `${[...others, ...mine].join('\n')}\n`,
  'alone.ndjson': `${mine.join('\n')}\n`,
  'edge_logs.log': 'text',
  'Upper.pino.ndjson': `${pino({ msg: 'Upper' })}\n`,
  'constructor.pino.ndjson': `${pino({ msg: 'made' })}\n`,
  'web/access.ndjson.1': `{"time_iso8601":"${at}","request":"GET /old HTTP/1.1","status":"99"}\n`,
  'gate.pino.log.2.gz': gzipSync(`${pino({ msg: 'closed' })}\n`),
  'gate.pino.log': `${pino({ msg: 'open' })}\n`,
  'web/error.log': `{"time_iso8601":"${at}","request":"POST / HTTP/1.1","status":"500"}\n`,
  'pinger.log': `${pino({})}\n`,
  '0a-json.log': '{"log":"up\\n","time":"","stream":"stdout"}\n',
  'caddy.ndjson': '{"level":"info","ts":1773143999.5,"msg":"handled"}\n',
  'text.log': 'listening\n',
  'Edge_Logs.ndjson': '',
  'table.csv': 'a,b',
});

let run: RunEndpoint;
let close: () => Promise<void>;
const warnings: string[] = [];

beforeAll(async () => {
  mkdirSync(join(data, 'fixed'));
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  const record = `{'at': timestamp '2026-03-10 11:59:59', text: 'parquet', labels: {tenant: 'mine'}}`;
  await connection.run(
    `copy (select r.* from (select ${record} as r)) to '${join(data, 'app_logs', '3.parquet')}'`,
  );
  connection.closeSync();
  const argv = ['query', 'logs.all', '--data', data, '--sources', sources, '--as', 'web=nginx'];
  const command = readCommand([...argv, '--no-disk-cache', '--threads', '1'], {});
  if (command.verb !== 'query') throw new Error('not the verb');
  const opened = await openServices(command.settings, openDuckDbEngine, {
    spare: () => 1,
    onRenewalFailure: () => {},
    onWarning: (line) => warnings.push(line),
  });
  run = createRunEndpoint(opened);
  close = () => opened.serving.close();
}, 60_000);
afterAll(() => close());

async function ask(project: string, sql: string, bound?: string): Promise<string> {
  const { result } = await answerTo(project, sql, bound);
  return Buffer.from(result.body).toString();
}

function answerTo(project: string, sql: string, bound?: string) {
  return run({
    endpoint: 'logs.all',
    parameters: new Map(project === '' ? [] : [['project', project]]),
    sandbox: { language: 'sql', text: sql },
    clock: { now: '2026-03-10T12:00:00.000000+00:00', fixed: true },
    redact: false,
    signal: new AbortController().signal,
    caller: '',
    scope: createScope(bound === undefined ? {} : { project: bound }),
  });
}

const fields = 'cross join unnest(metadata) as m';

test.each([
  [
    'default',
    `select event_message, timestamp, m.level, m.reqid from edge_logs ${fields}`,
    [{ event_message: 'up', timestamp: 1773143999000000, level: 30, reqid: 'a' }],
  ],
  ['acme', 'select event_message from edge_logs', [{ event_message: 'two' }]],
  [
    'acme',
    `select m.project_ref, m.level from function_logs ${fields}`,
    [{ project_ref: 'acme', level: '30' }],
  ],
  ['other', 'select id from function_logs', []],
  ['default', `select event_message, m.v from svc ${fields}`, [{ event_message: 'up', v: 0 }]],
  [
    'default',
    `select event_message, m.level from api ${fields}`,
    [{ event_message: 'up', level: 'info' }],
  ],
  [
    'default',
    `select event_message, m.status from web ${fields} order by m.status`,
    [
      { event_message: 'GET /old HTTP/1.1', status: 99 },
      { event_message: 'GET / HTTP/1.1', status: 200 },
      { event_message: 'POST / HTTP/1.1', status: 500 },
    ],
  ],
  [
    'default',
    `select timestamp, m.priority from host ${fields}`,
    [{ timestamp: 1773143999000000, priority: '6' }],
  ],
  [
    'default',
    `select event_message, m.stream from box ${fields}`,
    [{ event_message: 'up', stream: 'stdout' }],
  ],
  [
    'mine',
    'select event_message, count(*) as n from app_logs group by 1 order by 1',
    [
      { event_message: 'of mine', n: 3 },
      { event_message: 'parquet', n: 1 },
    ],
  ],
  // Two of the lines are equal, so they share an id.
  ['mine', 'select count(*) as n from App join backend using (id)', [{ n: 6 }]],
  ['default', 'select event_message from Upper', [{ event_message: 'Upper' }]],
  ['default', 'select event_message from upper', [{ event_message: 'Upper' }]],
  ['default', 'select event_message from `constructor`', [{ event_message: 'made' }]],
  // Rotated files are read too, and numbers are numbers.
  ['default', 'select event_message as m from gate order by m', [{ m: 'closed' }, { m: 'open' }]],
  [
    'default',
    `select event_message as e from web ${fields} where m.status < 300 order by e`,
    [{ e: 'GET / HTTP/1.1' }, { e: 'GET /old HTTP/1.1' }],
  ],
  ['default', 'select event_message from app', [{ event_message: 'of undefined' }]],
  [
    'acme',
    'select id from postgres_logs union all select id from db_logs',
    [{ id: 'p' }, { id: 'p' }],
  ],
  ['default', `select m.a, m.b from plain ${fields}`, [{ a: 1, b: 2 }]],
  // A record without a message shows its line.
  [
    'acme',
    'select event_message from plain',
    [{ event_message: `{"timestamp":"${at}","project":"acme"}` }],
  ],
  ['acme', `select m.project from fixed ${fields}`, [{ project: 'other' }]],
  ['other', 'select id from fixed', []],
  ['only here', 'select level, step from lined', [{ level: 'low', step: null }]],
  ['default', 'select u.metadata, n.id from unseen as u cross join never as n', []],
  ['default', `select event_message, m from never ${fields}`, []],
  [
    'acme',
    'select id from pgbouncer_logs union all select id from supavisor_logs union all select id from postgrest_logs',
    [],
  ],
])('%s: %s', async (project, sql, rows) => {
  expect(JSON.parse(await ask(project, sql))).toEqual(rows);
});

test.each([
  ['only here', undefined],
  ['first', undefined],
  ['acme', undefined],
  ['nobody', expect.stringContaining('no log has a record of this project; ')],
])('an empty answer to the project %s', async (project, note) => {
  expect((await answerTo(project, 'select id from web limit 0')).note).toEqual(note);
});

test.each(['pinger', 'caddy'])('%s is read although nothing names its shape', async (table) => {
  expect(await ask('default', `select count(*) as n from ${table}`)).toBe('[{"n":1}]');
});

test('what is not read is named, with the reason and the keys of the first record', () => {
  expect(warnings.map((line) => line.replace(/(?<=with \.ndjson).*/, ''))).toEqual([
    'Edge_Logs.ndjson is ignored: letter case counts, the source is called edge_logs',
    ...['edge_logs', 'table', 'text'].map(
      (name) =>
        `${name}.${name === 'table' ? 'csv' : 'log'} is ignored: its lines have no time; to read them all the same, name its shape, as in --as ${name}=text`,
    ),
    'edge_logs.pino.ndjson:3: not a JSON object',
    'edge_logs.pino.ndjson:4: timestamp: missing or not readable; expected time; the keys of the record are msg or message, level',
    'backend.ndjson:3: project: not STRING',
    'backend.ndjson:4: not a JSON object',
    expect.stringMatching(/^0a-json\.log:1: timestamp: missing or not readable;/),
  ]);
});

test.each([
  ['select * from `logs.app_logs`'],
  ['select * from logs.app_logs'],
  ['select * from `logs.app`'],
  ['select * from app.metadata'],
  ['select * from `app_logs/0`'],
  ['select * from `logs.app_logs/0`'],
  ['select * from temp.`gathered/app`'],
  ['with a as (select * from `logs.mixed`) select * from a'],
  ['with app as (select * from `logs.mixed`) select * from app'],
])('a source is read through its CTE alone: %s', async (sql) => {
  await expect(ask('mine', sql)).rejects.toMatchObject({
    faults: [{ reason: expect.stringMatching(/accessDenied|invalidQuery/) }],
  });
});

test.each(['app_logs', 'app', 'backend', 'mixed', 'alone'])(
  'a token that is bound to a project reads its records of %s',
  async (table) => {
    const sql = `select distinct l.tenant from ${table} ${fields} cross join unnest(m.labels) as l`;
    expect(await ask('', sql, 'mine')).toBe('[{"tenant":"mine"}]');
    await expect(ask('other', sql, 'mine')).rejects.toMatchObject({
      faults: [{ reason: 'outOfScope' }],
    });
  },
);

// The same records of one project, alone and among thousands of another: no query may tell the two apart.
test.each([
  [`select count(*) as n, min(m.n), max(m.n), max(m.secret) from {} ${fields}`],
  [`select 1 / (m.n + 1) as x from {} ${fields} where m.secret = 's1'`],
  [`select cast(m.secret as int64) as x from {} ${fields} where m.n < -5`],
  [`select cast(event_message as int64) as x from {}`],
  [`select if(m.n = 5, 1 / 0, 0) as x from {} ${fields} order by m.n`],
  [`select error(m.secret) as x from {} ${fields} where m.n > 2000`],
  [`select parse_json(event_message) from {} limit 0`],
  [
    `select a.event_message from {} a join {} b on a.id > b.id or 1 / length(b.event_message) > 0 order by 1`,
  ],
  [`select json_value(to_json_string(metadata), '$[0].n') as n from {} order by n limit 1`],
])('records of other projects change nothing: %s', async (sql) => {
  const answer = async (table: string) =>
    ask('mine', sql.replaceAll('{}', table)).catch(({ faults }) => JSON.stringify(faults));
  const alone = await answer('alone');
  expect(await answer('mixed')).toBe(alone);
  expect(alone).not.toMatch(/s[0-6]|other|internal/);
});
