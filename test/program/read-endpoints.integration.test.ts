import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { makeFolder } from '../support/load-logs.js';
import { type Folders, makeFolders, runProgram } from '../support/run-program.js';
import { type Service, startService, token } from '../support/start-service.js';

const bound = {
  acme: 'a-token-bound-to-acme-0123456789',
  other: 'a-token-bound-to-other-012345678',
};

const record = (id: string, project: string) =>
  JSON.stringify({
    ...{ id, project, timestamp: `2026-03-10T11:00:0${id.slice(-1)}Z` },
    event_message: `GET /${id} by ${id}@example.com`,
  });
const lines = [record('a1', 'acme'), record('a2', 'acme'), record('a3', 'acme')];
const data = makeFolder({
  'edge_logs.ndjson': [...lines, record('o1', 'other'), record('o2', 'other')].join('\n'),
});

const project = '-- @project: string, required\n';
const endpoints = makeFolder({
  // Its limit, its cache and the order of its rows are its own.
  'team.requests.sql': `-- max-rows: 1\n-- cache-seconds: 900\n${project}-- @from: timestamp, optional\n--
with edge_logs as (select * from \`logs.edge_logs\` as t where t.project = @project)
select id, event_message, timestamp from edge_logs
where @from is null or timestamp >= @from`,
  'masked.sql': `-- redact-pii: true\n${project}-- @from: timestamp, optional\n--
select event_message, id from \`team.requests\``,
  'seen.sql': `-- sandbox: true\n${project}-- @from: timestamp, optional\n--
with seen as (select event_message from masked) select event_message from seen`,
  'outer.sql': `-- sandbox: true\n${project}-- @from: timestamp, default 2026-03-10T11:00:02Z\n--
with edge_logs as (select id, timestamp from \`team.requests\`)
select id from edge_logs order by id`,
  'both.sql': `${project}-- @from: timestamp, optional\n--
select count(*) as n, count(distinct m.id) as ids
from masked as m join \`team.requests\` as r on m.id = r.id`,
});

let service: Service;
let folders: Folders;
beforeAll(async () => {
  folders = makeFolders();
  const file = join(folders.root, 'tokens');
  const ofProject = (name: 'acme' | 'other') =>
    `${bound[name]} project=${name} endpoints=outer,both,masked\n`;
  writeFileSync(file, `${token}\n${ofProject('acme')}${ofProject('other')}`);
  const flags = ['--data', data, '--endpoints', endpoints];
  service = await startService(flags, {
    LOG_ENDPOINTS_TOKENS: undefined,
    LOG_ENDPOINTS_TOKENS_FILE: file,
  });
}, 60_000);
afterAll(async () => {
  await service.stop();
  folders.remove();
});

async function ask(key: string, asked: string, parameters: Readonly<Record<string, string>> = {}) {
  const query = new URLSearchParams(parameters);
  const url = `${service.url}/api/endpoints/query/${asked}?${query}`;
  const response = await fetch(url, { headers: { 'x-api-key': key } });
  const body = (await response.json()) as Record<string, unknown>;
  return { status: response.status, rows: body['result'], error: JSON.stringify(body['error']) };
}

const from = '2026-03-10T00:00:00Z';

test('all rows are read, whatever the limit of the inner endpoint, with the default of the outer', async () => {
  const own = await ask(token, 'team.requests', { project: 'acme' });
  expect(own.rows).toHaveLength(1);
  const rows = [{ id: 'a2' }, { id: 'a3' }];
  expect(await ask(token, 'outer', { project: 'acme' })).toMatchObject({ status: 200, rows });
  const all = await ask(token, 'outer', { project: 'acme', from });
  expect(all.rows).toHaveLength(3);
});

test.each([
  ['acme', 3],
  ['other', 2],
] as const)('a token that is bound to %s reads that project', async (name, count) => {
  const key = bound[name];
  expect((await ask(key, 'outer', { from })).rows).toHaveLength(count);
  expect((await ask(key, 'both')).rows).toEqual([{ n: count, ids: count }]);
  const sql = 'select count(*) as n, min(id) as first from edge_logs';
  const first = `${name[0]}1`;
  expect((await ask(key, 'outer', { from, sql })).rows).toEqual([{ n: count, first }]);
  const strange = name === 'acme' ? 'other' : 'acme';
  expect(await ask(key, 'outer', { project: strange })).toMatchObject({ status: 403 });
  expect(await ask(key, 'team.requests')).toMatchObject({ status: 404 });
});

test("a caller's query cannot read the inner endpoint, also where the token may ask it", async () => {
  const asked = { project: 'acme', sql: 'select * from `team.requests`' };
  const { status, error } = await ask(token, 'outer', asked);
  expect(status).toBe(400);
  expect(error).toContain('Table not found: team.requests (the tables are edge_logs) at [1:15]');
});

test('redaction of an inner endpoint holds for what reads it', async () => {
  const asked = { project: 'other' };
  const clear = await ask(token, 'team.requests', asked);
  expect(JSON.stringify(clear.rows)).toContain('@example.com');
  for (const name of ['masked', 'seen']) {
    const { rows } = await ask(token, name, asked);
    expect(rows).toHaveLength(2);
    expect(JSON.stringify(rows)).not.toContain('@example.com');
  }
  const sql = 'select event_message from seen';
  const { rows } = await ask(token, 'seen', { ...asked, sql });
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain('@example.com');
});

test('check names the files that are at fault', async () => {
  const faulty = makeFolder({
    'circle.sql': 'select * from round',
    'round.sql': 'select * from circle',
    'inner.sql':
      '-- @n: integer, default 3\n-- @at: date, optional\n--\nselect @n as n, @at as day',
    'missing.sql': '-- @at: string, required\n--\nselect n\nfrom inner_ as i',
    'typed.sql':
      '-- @n: integer, required\n-- @at: string, required\n--\nselect @n as n, @at as at_\n\nfrom `inner`',
    'undeclared.sql': 'select n\nfrom `inner`',
    'broken.sql': '--\nselect nothing',
    'reader.sql': 'select *\nfrom broken',
  });
  const argv = ['check', '--endpoints', faulty];
  const { code, stdout, stderr } = await runProgram(folders, argv);
  const found = `${stdout}${stderr}`.split('\n').filter((line) => line.includes('.sql:'));
  expect(code).not.toBe(0);
  expect(found).toEqual([
    'broken.sql:2:8: Unrecognized name: nothing',
    'circle.sql:1:15: Endpoints read each other in a circle: round -> circle -> round',
    'missing.sql:1:4: parameter declared but not used: @at',
    expect.stringMatching(/^missing\.sql:4:6: Table not found: inner_ \(the tables are /),
    'reader.sql:1:1: broken.sql, which it reads, has errors',
    'round.sql:1:15: Endpoints read each other in a circle: circle -> round -> circle',
    'typed.sql:6:6: typed reads inner, where @at is date, not string: declare the same type, or rename one of the two',
    'undeclared.sql:2:6: undeclared reads inner, which needs @n: add "-- @n: integer, …" to undeclared.sql',
  ]);
}, 60_000);

test('explain prints the inner query in place', async () => {
  const argv = ['explain', 'outer', '--endpoints', endpoints, '--data', data, '--stage', 'resolve'];
  const { code, stdout } = await runProgram(folders, argv);
  expect(code).toBe(0);
  expect(stdout).toContain('WHERE t1.`project` = @p_project');
}, 60_000);
