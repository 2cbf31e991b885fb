import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { sample } from '../../support/nightly.js';
import { root } from '../../support/paths.js';
import { openQueryRunner, type QueryRunner } from '../../support/run-query.js';

// Queries in pipe syntax, as stored queries and as a caller's over a CTE of the same rows, in both layouts.

let struct: QueryRunner;
let list: QueryRunner;

beforeAll(async () => {
  struct = await openQueryRunner();
  list = await openQueryRunner({ layout: 'list' });
});
afterAll(async () => {
  await struct.close();
  await list.close();
});

type Case = readonly [sql: string, rows: readonly (readonly unknown[])[]];

const file = join(root, 'test/compiler/pipe-queries.json');
const cases = JSON.parse(readFileSync(file, 'utf8')) as readonly Case[];

const stored = 'with web as (select * from `logs.web`) select id from web';

test.each(sample(cases, 3))('%s', async (sql, rows) => {
  const own = await struct.run(sql, { mayQuoteValues: true });
  expect(own.map((row) => Object.values(row))).toEqual(rows);
  const caller = sql.replaceAll('`logs.web`', 'web');
  const same = await Promise.all([
    struct.run(stored, { caller, mayQuoteValues: true }),
    list.run(sql, { mayQuoteValues: true }),
    list.run(stored, { caller, mayQuoteValues: true }),
  ]);
  expect(same).toEqual([own, own, own]);
});

test.each([
  'from one |> aggregate any_value(5) as n',
  'select 5 as n from one group by ()',
  'select 5 as n from one having true',
])('%s is one row, also over gathered rows', async (caller) => {
  const gathered =
    "with one as (select * from `logs.web` where project = 'one') select id from one";
  expect(await struct.run(gathered, { caller })).toEqual([{ n: 5 }]);
});

test.each([
  ['from web |> set id = 1, project = 2, ID = 3', 'SET names the column ID twice'],
  ['from web |> rename id as a, id as b', 'RENAME names the column id twice'],
  ...['5', 'id', 'count(*), 5', '(select count(*) from web)', 'rand() + 1'].map((value) => [
    `from web |> aggregate ${value} group by id`,
    'Each expression in |> AGGREGATE must include an aggregate function',
  ]),
])('%s is refused', async (caller, message) => {
  await expect(struct.run(stored, { caller })).rejects.toThrow(message);
});

test('a pipeline of 100 operators is no nesting, but aggregations are', async () => {
  const many = ' |> set id = upper(id) |> where id != ""'.repeat(50);
  const caller = `from web |> where id = 'a' ${many} |> select id`;
  expect(await struct.run(stored, { caller })).toEqual([{ id: 'A' }]);
  const grouped = `from web ${' |> aggregate count(*) as n group by id'.repeat(13)}`;
  await expect(struct.run(stored, { caller: grouped })).rejects.toThrow(
    'too many aggregations one after the other: at most 12',
  );
});

// Each operator that can hold a table or a subquery.
test.each([
  'from secret',
  'from web |> join secret on true',
  'from web |> cross join (secret join web as b on true)',
  'from web |> where exists (from secret)',
  'from web |> extend (select 1 from secret) as n',
  'from web |> select (from secret) as n',
  'from web |> set id = (select "" from secret)',
  'from web |> aggregate max((select 1 from secret)) as n',
  'from web |> aggregate group by (select 1 from secret)',
  'from web |> order by (select 1 from secret)',
  'from web |> union all (from secret)',
  'from web |> with t as (from secret) |> limit 1',
  'from web |> with t as (from t) |> limit 1',
  'from web |> drop metadata |> pivot (max((select id from secret)) for project in ("one"))',
  'from web as w |> select id |> join w.metadata on true',
  '(from secret) |> limit 1',
])('%s is refused in the sandbox', async (sql) => {
  const caller = sql.replace('secret', '`logs.web`');
  await expect(struct.run(stored, { caller })).rejects.toMatchObject({
    cause: { reason: 'accessDenied' },
  });
});
