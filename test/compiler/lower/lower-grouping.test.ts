import { expect, test } from 'vitest';
import { compiler, stored } from '../../support/refused-query.js';

function sqlOf(sql: string): string {
  return compiler.compile({ ...stored, sql }).sql;
}

test.each([
  ['select approx_top_sum(rand(), rand(), 3) from `logs.web`', 2],
  // The third call orders ties.
  ['select max_by(rand(), rand()) from `logs.web` group by grouping sets ((id), (concat(id)))', 3],
  ['select (select max_by(rand() * n, rand() * n) from unnest([1, 2])) from unnest([1]) as n', 2],
  ['select corr(rand(), rand() having max id) from `logs.web`', 2],
  ['select approx_top_sum(rand(), 1, 3) from `logs.web` group by rand()', 2],
  [
    'select (select array_agg(rand() * n order by rand() * n) from unnest([1])) from unnest([1]) n',
    2,
  ],
  ['select grouping(rand()), approx_top_sum(id, 1, 3) from `logs.web` group by rollup (rand())', 1],
])('each call of RAND is a value of its own: %s', (sql, calls) => {
  expect(sqlOf(sql).match(/random\(\)/g)).toHaveLength(calls);
});

test('inputs that become columns count once', () => {
  const coalesced = `coalesce(${Array(20_000).fill('id').join(', ')})`;
  const sql = `select approx_top_sum(${coalesced}, 1, 2) from \`logs.web\``;
  expect(() => sqlOf(sql)).not.toThrow();
});
