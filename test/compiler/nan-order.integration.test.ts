import { afterAll, beforeAll, expect, test } from 'vitest';
import type { SourceSchema } from '../../src/types/schema.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

/** Parquet files may contain NaN. */
const source: SourceSchema = {
  name: 'web',
  columns: [
    { name: 'id', type: { kind: 'STRING' }, stored: true },
    { name: 'x', type: { kind: 'FLOAT64' }, stored: true },
  ],
};
const rows = `select * from (values ('one', 1.0::double), ('nan', 'nan'), ('null', null),
  ('least', '-inf'), ('most', 'inf')) t(id, x)`;

let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner({ source, rows });
});
afterAll(() => runner.close());

async function firstValues(sql: string): Promise<string> {
  const found = await runner.run(sql);
  return found.map((row) => String(Object.values(row)[0])).join(' ');
}

const ids = 'null nan least one most';
const numbers = 'null NaN -Infinity 1 Infinity';

test.each([
  ['select id from `logs.web` order by x', ids],
  ['select id from `logs.web` order by x desc', 'most one least nan null'],
  ['select id from `logs.web` order by x nulls last', 'nan least one most null'],
  ['select id from `logs.web` order by x limit 2', 'null nan'],
  ['select id, row_number() over (order by x) as n from `logs.web` order by n', ids],
  ["select string_agg(id, ' ' order by x) from `logs.web`", ids],
  ['select distinct x from `logs.web` order by x', numbers],
  ['select distinct x, id from `logs.web` order by x desc, id', 'Infinity 1 -Infinity NaN null'],
  ['select distinct x + 0 as y from `logs.web` order by y limit 2', 'null NaN'],
  ['select x from `logs.web` union distinct select 1.0 order by x', numbers],
  [
    'select x from `logs.web` except distinct select 1.0 order by x limit 2 offset 1',
    'NaN -Infinity',
  ],
  ['(select x, id from `logs.web`) order by x, id', numbers],
  [
    'select y from (select distinct x as y from `logs.web` order by y limit 2) order by y',
    'null NaN',
  ],
])('NaN sorts below all numbers: %s', async (sql, expected) => {
  expect(await firstValues(sql)).toBe(expected);
});
