import { afterAll, beforeAll, expect, test } from 'vitest';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

test.each([
  ['select as struct 8 as a, 9 as b', [{ a: 8, b: 9 }]],
  ['select as value struct(8 as a, 9 as b)', [{ a: 8, b: 9 }]],
  ['select as value 5', [{ f0_: 5 }]],
  [
    'select as struct 8 as a, 9 as b union all select as value struct(1, 2.5)',
    [
      { a: 8, b: 9 },
      { a: 1, b: 2.5 },
    ],
  ],
  ['select as struct x as a from unnest([2, 1]) as x order by 1', [{ a: 1 }, { a: 2 }]],
  ['select as value struct(x as a) from unnest([2, 1]) as x order by x limit 1', [{ a: 1 }]],
  ['(select as value struct(x as a) from unnest([2, 1]) as x order by x)', [{ a: 1 }, { a: 2 }]],
  ['select distinct as value struct(x as a) from unnest([1, 1]) as x', [{ a: 1 }]],
  [
    'select as value m.request[safe_offset(0)] from `logs.web`, unnest(metadata) as m where id = "a"',
    [{ path: '/rest', method: 'GET' }],
  ],
  [
    'select * from (select 1 as x, 100 as y) pivot (sum(x) as s for y in (100, -5, null, 7 as w))',
    [{ s_100: 1, s_minus_5: null, s_NULL: null, s_w: null }],
  ],
  [
    "select * from (select 1 as x, numeric '1' as y) pivot (sum(x) for y in (1.0, 1.50, -2))",
    [{ _1: 1, _1_point_5: null, minus_2: null }],
  ],
  [
    "select * from (select 1 as x, date '2026-01-01' as y) pivot (sum(x) for y in ('2026-01-01'))",
    [{ _2026_01_01: 1 }],
  ],
  [
    "select * from (select 1 as x, 'a b' as y) pivot (sum(x) for y in ('a b', '1x', ''))",
    [{ 'a b': 1, '1x': null, empty_string_value: null }],
  ],
  [
    "select * from (select 1 as x, '' as y) pivot (sum(x) as s for y in ('', 'a'))",
    [{ s__empty_string_value: 1, s_a: null }],
  ],
  [
    'select * from (select 1 as x, (1, true) as y) pivot (sum(x) for y in ((1, true), (2, null)))',
    [{ _1_true: 1, _2_NULL: null }],
  ],
  [
    'select * from (select 1 as x, struct(1 as a) as y) pivot (sum(x) for y in (struct(1)))',
    [{ a_1: 1 }],
  ],
  ['select 1 as a, 2 as A, 3 as a_1, 4 as a', [{ a: 1, A_2: 2, a_1: 3, a_3: 4 }]],
  ['select 1, 2 as f0_', [{ f0_: 1, f0__1: 2 }]],
  ['select * from (select 1 as a) as t, (select 2 as a) as u', [{ a: 1, a_1: 2 }]],
  ['@{x = 1} select @{y.z = "a", w = -1.5} 2 as n', [{ n: 2 }]],
])('%s', async (sql, rows) => {
  expect(await runner.run(sql, { mayQuoteValues: true })).toEqual(rows);
});
