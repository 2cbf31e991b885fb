import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { root } from '../support/paths.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

// Queries in pipe syntax, as stored queries and as a caller's over a CTE of the same rows.

let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

type Case = readonly [sql: string, rows: readonly (readonly unknown[])[]];

const file = join(root, 'test/compiler/pipe-queries.json');
const cases = JSON.parse(readFileSync(file, 'utf8')) as readonly Case[];

const stored = 'with web as (select * from `logs.web`) select id from web';

test.each(cases)('%s', async (sql, rows) => {
  const own = await runner.run(sql, { mayQuoteValues: true });
  expect(own.map((row) => Object.values(row))).toEqual(rows);
  const caller = sql.replace('`logs.web`', 'web');
  expect(await runner.run(stored, { caller, mayQuoteValues: true })).toEqual(own);
});

test.each([
  'from one |> aggregate 5 as n',
  'select 5 as n from one group by ()',
  'select 5 as n from one having true',
])('%s is one row, also over gathered rows', async (caller) => {
  const gathered =
    "with one as (select * from `logs.web` where project = 'one') select id from one";
  expect(await runner.run(gathered, { caller })).toEqual([{ n: 5 }]);
});

test.each([
  ['from web |> set id = 1, project = 2, ID = 3', 'SET names the column ID twice'],
  ['from web |> rename id as a, id as b', 'RENAME names the column id twice'],
])('%s is refused', async (caller, message) => {
  await expect(runner.run(stored, { caller })).rejects.toThrow(message);
});
