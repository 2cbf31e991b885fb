import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { DuckDbEngine } from '../src/engine/duckdb-engine.js';
import { createCompiler } from '../src/query/compile.js';
import { openWebEngine, webSource } from './support/web-source.js';

const compiler = createCompiler([webSource('struct')]);
let engine: DuckDbEngine;

beforeAll(async () => {
  engine = await openWebEngine('struct');
});
afterAll(() => engine.close());

async function rowsOf(sql: string): Promise<readonly (readonly unknown[])[]> {
  const query = compiler.compile({ name: 'web', sql, maxRows: 100, parameters: [] });
  const { signal } = new AbortController();
  const result = await engine.run({ sql: query.sql, values: {}, maxRows: 100 }, { signal });
  const rows = JSON.parse(Buffer.from(result.json).toString()) as readonly object[];
  return rows.map((row) => Object.values(row));
}

/** Five rows: g a a a b b, t 1 2 3 1 2, v 10 NULL 30 5 5. */
const five =
  "unnest([struct('a' as g, 1 as t, 10 as v), ('a', 2, null), ('a', 3, 30), ('b', 1, 5), ('b', 2, 5)])";

const tables = `with l as (select 1 as id, 'x' as a union all select 2, 'y' union all select 3, null),
  r as (select 2 as id, 'p' as b union all select 3, 'q' union all select 4, 'r')`;

const queries = {
  joins: [
    [
      `${tables} select * from l join r using (id) order by id`,
      [
        [2, 'y', 'p'],
        [3, null, 'q'],
      ],
    ],
    [
      `${tables} select id, a, b from l left join r using (id) order by id`,
      [
        [1, 'x', null],
        [2, 'y', 'p'],
        [3, null, 'q'],
      ],
    ],
    [
      `${tables} select id, a, b from l right join r using (id) order by id`,
      [
        [2, 'y', 'p'],
        [3, null, 'q'],
        [4, null, 'r'],
      ],
    ],
    [
      `${tables} select id, a, b, l.id, r.id as rid from l full join r using (id) order by 1`.replace(
        'l.id,',
        'l.id as lid,',
      ),
      [
        [1, 'x', null, 1, null],
        [2, 'y', 'p', 2, 2],
        [3, null, 'q', 3, 3],
        [4, null, 'r', null, 4],
      ],
    ],
    [`${tables} select l.id, r.b from l inner join r on l.id = r.id and r.b <> 'p'`, [[3, 'q']]],
    [
      `${tables} select l.id, r.b from l left join r on l.id = r.id and r.b <> 'p' where l.id > 1 order by 1`,
      [
        [2, null],
        [3, 'q'],
      ],
    ],
    [`${tables} select count(*) from l, r`, [[9]]],
    [
      `${tables} select l.id from l left join (r cross join unnest([1]) as one) on l.id = r.id where one is null`,
      [[1]],
    ],
    [`${tables} select id from l where id in (select id from r) order by id`, [[2], [3]]],
    [`${tables} select id from l where id not in (select id from r)`, [[1]]],
    [
      `${tables} select id, (select r.b from r where r.id = l.id) as b from l order by id`,
      [
        [1, null],
        [2, 'p'],
        [3, 'q'],
      ],
    ],
    [
      `${tables} select id, array(select r.b from r where r.id >= l.id order by r.b desc) as bs from l order by id`,
      [
        [1, ['r', 'q', 'p']],
        [2, ['r', 'q', 'p']],
        [3, ['r', 'q']],
      ],
    ],
    [
      `${tables} select id from l where exists (select 1 from r where r.id = l.id) order by id`,
      [[2], [3]],
    ],
  ],
  grouping: [
    [
      `select g, sum(v), count(v), count(*) from ${five} group by g order by g`,
      [
        ['a', 40, 2, 3],
        ['b', 10, 2, 2],
      ],
    ],
    [
      `select g as key, t, sum(v) as s from ${five} group by rollup(g, t) order by g, t`,
      [
        [null, null, 50],
        ['a', null, 40],
        ['a', 1, 10],
        ['a', 2, null],
        ['a', 3, 30],
        ['b', null, 10],
        ['b', 1, 5],
        ['b', 2, 5],
      ],
    ],
    [
      `select g, t, count(*) from ${five} where t < 3 group by cube(g, t) order by g, t`,
      [
        [null, null, 4],
        [null, 1, 2],
        [null, 2, 2],
        ['a', null, 2],
        ['a', 1, 1],
        ['a', 2, 1],
        ['b', null, 2],
        ['b', 1, 1],
        ['b', 2, 1],
      ],
    ],
    [
      `select g, t, count(*) from ${five} group by grouping sets (g, ()) order by g`.replace(
        't, ',
        '',
      ),
      [
        [null, 5],
        ['a', 3],
        ['b', 2],
      ],
    ],
    [
      `select g, count(*) as n from ${five} group by all order by n`,
      [
        ['b', 2],
        ['a', 3],
      ],
    ],
    [`select upper(g) as g from ${five} group by g order by g`, [['A'], ['B']]],
    [
      `select upper(g) || 'x', count(*) from ${five} group by upper(g) order by 1`,
      [
        ['Ax', 3],
        ['Bx', 2],
      ],
    ],
    [`select sum(v) from ${five} having count(*) > 5`, []],
    [`select count(*) from ${five} where false`, [[0]]],
    [`select g from ${five} group by g order by sum(v) desc`, [['a'], ['b']]],
    [
      `select g, (select max(x) from unnest([t_sum, 7]) x) as m from (select g, sum(t) as t_sum from ${five} group by g) order by g`,
      [
        ['a', 7],
        ['b', 7],
      ],
    ],
    [
      `select g, (select count(*) from ${five} i where i.g = o.g and i.v is not null) as n from ${five} o group by g order by g`,
      [
        ['a', 2],
        ['b', 2],
      ],
    ],
    [`select distinct g from ${five} order by g desc`, [['b'], ['a']]],
    [`select any_value(t having max v) from ${five}`, [[3]]],
    [
      `select array_agg(t order by t desc limit 2), string_agg(g, '-' order by g desc, t) from ${five}`,
      [[[3, 2], 'b-b-a-a-a']],
    ],
  ],
  windows: [
    [
      `select g, t, row_number() over (partition by g order by t desc) as rn from ${five} order by g, rn`,
      [
        ['a', 3, 1],
        ['a', 2, 2],
        ['a', 1, 3],
        ['b', 2, 1],
        ['b', 1, 2],
      ],
    ],
    [
      `select t, sum(t) over w, sum(t) over (w rows between 1 preceding and current row) from ${five} where g = 'a' window w as (order by t) order by t`,
      [
        [1, 1, 1],
        [2, 3, 3],
        [3, 6, 5],
      ],
    ],
    [
      `select g, sum(v), rank() over (order by sum(v) desc) from ${five} group by g order by 3`,
      [
        ['a', 40, 1],
        ['b', 10, 2],
      ],
    ],
    [`select t from ${five} where g = 'a' qualify row_number() over (order by t desc) = 1`, [[3]]],
    [
      `select t, lag(t, 1, -1) over (order by t) from ${five} where g = 'a' order by t`,
      [
        [1, -1],
        [2, 1],
        [3, 2],
      ],
    ],
    [
      `select t, last_value(v ignore nulls) over (order by t) from ${five} where g = 'a' order by t`,
      [
        [1, 10],
        [2, 10],
        [3, 30],
      ],
    ],
  ],
  'sets and order': [
    ['select 1 as x union all select 2.5 order by x desc', [[2.5], [1]]],
    ['select 1 as x union distinct select 1', [[1]]],
    ['(select 1 as x union all select 2) except distinct select 2', [[1]]],
    ['select 1 as x intersect distinct select 1', [[1]]],
    ['select x from unnest([3, 1, 2]) as x order by x limit 2 offset 1', [[2], [3]]],
    ['select x from unnest([2, null, 1]) as x order by x', [[null], [1], [2]]],
    ['select x from unnest([2, null, 1]) as x order by x desc', [[2], [1], [null]]],
    ["select x from unnest([2]) as x order by 'x', null, x", [[2]]],
    ['select x from unnest([2, null, 1]) as x order by x nulls last', [[1], [2], [null]]],
    [
      'select x from (select x from unnest([3, 1, 2]) as x order by x limit 2) order by x desc',
      [[2], [1]],
    ],
  ],
  'value tables and subscripts': [
    ['select s.a, b from (select as struct 1 as a, 2 as b) as s', [[1, 2]]],
    ['select * from (select as struct 1 as a, 2 as b)', [[1, 2]]],
    ['select v from (select as value struct(1 as a)) as v', [[{ a: 1 }]]],
    [
      'select array(select as struct x, x * 2 as y from unnest([1, 2]) as x order by x)',
      [
        [
          [
            { x: 1, y: 2 },
            { x: 2, y: 4 },
          ],
        ],
      ],
    ],
    [
      'select [10, 20][0], [10, 20][offset(1)], [10, 20][ordinal(1)], [10, 20][safe_offset(5)], [10, 20][safe_ordinal(0)]',
      [[10, 20, 10, null, null]],
    ],
    ['with d as (select 7 as start) select d[0] from d', [[7]]],
    [
      "select metadata[safe_offset(0)].level, metadata[offset(0)].request[offset(0)].path from `logs.web` where id = 'a'",
      [['info', '/rest']],
    ],
    ['select id from `logs.web` where metadata[safe_offset(0)].status = 500', [['b']]],
    [
      'select 2 in unnest([1, 2]), 3 in unnest([1, null]), null in unnest([1]), 1 in unnest([])',
      [[true, null, null, false]],
    ],
    ['select struct(1 as a, 2 as a)', [[{ a: 2 }]]],
  ],
} as const;

describe.each(Object.entries(queries))('%s', (_, cases) => {
  test.each(cases as readonly (readonly [string, unknown])[])('%s', async (sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows);
  });
});

test.each([
  [
    "select id from `logs.web` where id like '\\\\'",
    'LIKE pattern ends with a backslash at [1:33]',
  ],
  ['select [1, 2][2]', 'Array index 2 is out of bounds'],
  ['select (select x from unnest([1, 2]) as x)', 'Scalar subquery produced more than one element'],
])('%s fails while it runs', async (sql, message) => {
  await expect(rowsOf(sql)).rejects.toMatchObject({ message });
});
