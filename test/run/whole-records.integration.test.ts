import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { isSame } from '../../scripts/odd-records/answers.mjs';
import { makeFolder } from '../support/load-logs.js';
import { sample } from '../support/nightly.js';
import {
  type OpenWorld,
  openFrontDoor,
  openServed,
  serveWorld,
  tokenHeaders,
} from '../support/worlds.js';

// However a query shows or compares a whole record, the fields that only another project logs change nothing.

const own = Array.from({ length: 6 }, (_, n) => ({
  id: `own-${n}`,
  timestamp: `2026-03-10T12:00:0${n % 3}Z`,
  event_message: `message ${n}`,
  project: 'acme',
  ...(n === 1 && { word: 'mine' }),
  metadata: {
    request: { method: 'GET', path: `/rest/${n}`, ...(n === 2 && { note: 'ada@example.com' }) },
    ...(n > 2 && { zz: { b: `b${n}` } }),
    ...(n === 5 && { tags: ['t', 'u'], n: 5 }),
  },
}));

/** Fields of another project at every place, of every kind. */
const strange = strangeFields(50);

function strangeFields(length: number): object {
  const fields = Array.from({ length }, (_, n) => {
    const kinds = [n, `s${n}`, n % 2 === 0, [n], [`s${n}`], { a: n }, [{ a: n }], n / 4];
    return [`strange_${n}`, kinds[n % kinds.length]];
  });
  return Object.fromEntries(fields);
}

/** With so many fields, `zz` is read in parts. */
const wide = strangeFields(260);

function other(fields: object): string {
  const isStrange = fields === strange;
  const zz = { b: 'x', ...(isStrange && wide) };
  const metadata = { request: { method: 'PUT', ...fields }, zz, ...fields };
  const rest = { id: 'other', timestamp: '2026-03-10T12:00:01Z', event_message: 'other' };
  return JSON.stringify({ ...rest, ...fields, project: 'evil', metadata });
}

const endpoint = `-- name: whole
-- id: 8a3f2b8e-6c1d-4f0e-9b7a-0c5d2e9f1a35
-- max-rows: 100
-- sandbox: true
-- @project: string, required
--
with logs as (select * from \`logs.edge_logs\` as t where t.project = @project)
select t from logs as t order by t.id
`;

async function openOver(fields: object): Promise<OpenWorld> {
  const lines = [...own.map((line) => JSON.stringify(line)), other(fields)];
  const data = makeFolder({ 'edge_logs.ndjson': `${lines.join('\n')}\n` });
  const endpoints = mkdtempSync(join(tmpdir(), 'whole-records-'));
  writeFileSync(join(endpoints, 'whole.sql'), endpoint);
  const flags = ['--data', data, '--endpoints', endpoints, '--no-disk-cache', '--threads', '1'];
  return openServed('one', [...flags, '--now', '2026-03-10T14:00:00Z']);
}

let worlds: readonly OpenWorld[];
beforeAll(async () => {
  worlds = [await openOver({}), await openOver(strange)];
});
afterAll(() => Promise.all(worlds.map((world) => world.close())));

async function ask({ opened, settings }: OpenWorld, parameters: object, redact: boolean) {
  const app = openFrontDoor(serveWorld({ opened }).services, settings);
  const response = await app.request('/api/endpoints/query/whole', {
    method: 'POST',
    headers: { ...tokenHeaders(redact), 'content-type': 'application/json' },
    body: JSON.stringify(parameters),
  });
  return { status: response.status, body: Buffer.from(await response.arrayBuffer()) };
}

const from = 'logs as t, unnest(t.metadata) as m';

const texts: readonly Readonly<Record<string, string>>[] = [
  {},
  ...[
    'select metadata from logs order by id',
    'select t.id, t from logs as t order by id',
    'select t.id, (select as struct t.*) as r from logs as t order by id',
    `select t.id, m from ${from} order by 1`,
    `select t.id, m.zz, m.request from ${from} order by 1`,
    ...['%t', '%T', '%10t'].flatMap((word) =>
      ['m', 'm.zz', 't', '[m]'].map(
        (value) => `select format('${word}', ${value}) as v from ${from} order by t.id`,
      ),
    ),
    ...['m', 'm.request', 't'].flatMap((value) =>
      [
        `to_json_string(${value})`,
        `to_json_string(${value}, true)`,
        `to_json(${value})`,
        `json_array(${value})`,
        `json_object('a', ${value})`,
        `json_set(json '{}', '$.a', ${value})`,
        `contains_substr(${value}, 'nowhere')`,
        `contains_substr(${value}, '/rest/3')`,
        `${value} is null`,
        `struct(${value} as a, 1 as b)`,
        `coalesce(${value}, ${value})`,
      ].map((call) => `select ${call} as v from ${from} order by t.id`),
    ),
    `select m as v, count(*) as n from ${from} group by m order by n, min(t.id)`,
    `select distinct m.request as v from ${from} order by to_json_string(v)`,
    `select count(distinct m) as n from ${from}`,
    `select array_agg(m order by t.id) as v from ${from}`,
    `select max_by(m, t.id) as v, any_value(m having max t.id) as w from ${from}`,
    `select lag(m) over (order by t.id) as v from ${from} order by t.id`,
    `select a.b, count(*) as n from ${from}, unnest(m.zz) as a where a = a group by 1 order by 1`,
    `select t.id from ${from}, unnest(m.zz) as a where a in (select b from ${from}, unnest(m.zz) as b) order by 1`,
    `select t.id, a is not distinct from a as v, nullif(a, a) as w from ${from}, unnest(m.zz) as a order by 1`,
    `select count(*) as n from (select a from ${from}, unnest(m.zz) as a union distinct select a from ${from}, unnest(m.zz) as a)`,
    `select path, method from ${from}, unnest(m.request) as r order by t.id`,
  ].map((sql) => ({ sql })),
  { lql: 'f:logs s:metadata s:id' },
  { lql: 'f:logs m.request.path:~rest s:m.zz' },
  { lql: 'f:logs s:metadata.zz s:id' },
];

const formats = ['json', 'ndjson', 'csv', 'arrow', 'parquet'];

async function expectSame(text: object, format: string, redact: boolean): Promise<void> {
  const parameters = { project: 'acme', format, ...text };
  const [before, after] = await Promise.all(worlds.map((world) => ask(world, parameters, redact)));
  expect(before?.status).toBe(200);
  const question = { name: '', parameters, headers: {} };
  if (before && after && (await isSame(question, before, after))) return;
  expect(after?.body.toString()).toBe(before?.body.toString());
}

test.each(
  sample(texts, 4).map((text, index) => [Object.values(text)[0] ?? 'stored', text, index] as const),
)('%s', async (_, text, index) => {
  await expectSame(text, 'json', false);
  // Redacted rows are printed by the same code: every sixth query will do.
  if (index % 6 === 0) await expectSame(text, 'json', true);
});

test.each(formats)('in the format %s', async (format) => {
  for (const text of texts.slice(0, 3)) await expectSame(text, format, format !== 'parquet');
});
