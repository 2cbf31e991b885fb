import { afterAll, beforeAll, expect, test } from 'vitest';
import { openQueryRunner, type QueryRunner } from '../../support/run-query.js';

let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

test.each([
  ['select as struct 8 as a, 9 as b', [{ a: 8, b: 9 }]],
  ['select as value struct(8 as a, 9 as b)', [{ a: 8, b: 9 }]],
  ['select as value 5', [{ f0_: 5 }]],
  ['select 1 as a, 2 as a', [{ a: 1, a_1: 2 }]],
  ['select 1 as a, 2 as A, 3 as a_1, 4 as a, 5 as a', [{ a: 1, A_2: 2, a_1: 3, a_3: 4, a_4: 5 }]],
  ['select 1 as f0_, 2, 3', [{ f0_: 1, f0__1: 2, f1_: 3 }]],
  ['select *, x.* from (select 1 as a, 2 as b) as x', [{ a: 1, b: 2, a_1: 1, b_1: 2 }]],
  ['select 1 as a, 2 as a union all select 3, 4 order by 2 desc limit 1', [{ a: 3, a_1: 4 }]],
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
  ['@{x = 1} select @{y.z = "a", w = -1.5} 2 as n', [{ n: 2 }]],
  [
    'select 1 as a, 10 as b union all by name select 20 as b, 2 as a',
    [
      { a: 1, b: 10 },
      { a: 2, b: 20 },
    ],
  ],
  [
    'select 1 as a, 100 as c inner union all by name select 2 as a, 1000 as d',
    [{ a: 1 }, { a: 2 }],
  ],
  [
    'select 1 as a, 100 as c union all corresponding select 1000 as d, 2 as a',
    [{ a: 1 }, { a: 2 }],
  ],
  [
    "select 1 as a, 2 as c full outer union all by name select 'x' as d, 2.5 as a",
    [
      { a: 1, c: 2, d: null },
      { a: 2.5, c: null, d: 'x' },
    ],
  ],
  [
    'select 1 as a, 2 as c left union all corresponding select 1000 as d, 2 as a',
    [
      { a: 1, c: 2 },
      { a: 2, c: null },
    ],
  ],
  [
    'select 1 as a, 2 as b, 3 as c full union all by name on (c, b) select 20 as b',
    [
      { c: 3, b: 2 },
      { c: null, b: 20 },
    ],
  ],
  [
    'select 1 as a, 2 as b except distinct strict corresponding select 2 as b, 3 as a',
    [{ a: 1, b: 2 }],
  ],
  [
    "select date '2026-01-01' as d, 1 as x union all by name select 2 as x, '2026-01-02' as d",
    [
      { d: '2026-01-01', x: 1 },
      { d: '2026-01-02', x: 2 },
    ],
  ],
  [
    '(select x as a, -x as b from unnest([3, 1]) as x order by x limit 1) union all by name (select distinct x as b, 6 as a from unnest([5, 5]) as x)',
    [
      { a: 1, b: -1 },
      { a: 6, b: 5 },
    ],
  ],
])('%s', async (sql, rows) => {
  expect(await runner.run(sql, { mayQuoteValues: true })).toEqual(rows);
});
