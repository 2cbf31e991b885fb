import {
  type BombClass,
  bounded,
  many,
  nest,
  refused,
  steps,
  stopped,
} from '../../support/bombs.js';

const tooMuch = ['resourcesExceeded'] as const;

/** Bombs that take effect before a row is read: in the compiler, or while the engine plans. */
export const planning: readonly BombClass[] = [
  {
    class: 'compiling',
    why: 'a short text may compile to a huge statement: the compiler counts its size while it grows',
    bombs: [
      {
        name: 'a struct that CTEs double, unread',
        sql: steps(
          40,
          'select 1 as a',
          'select struct(a as x, a as y) as a from PREVIOUS',
          'select count(*) as n from LAST',
        ),
        ends: tooMuch,
      },
      {
        name: 'rows as structs that CTEs double',
        sql: steps(
          30,
          'select 1 as a',
          'select struct(l) as a, r as b from PREVIOUS l, PREVIOUS r',
          'select to_json_string(t) as s from LAST t',
        ),
        ends: tooMuch,
      },
      {
        name: 'arrays of structs that CTEs double',
        sql: steps(
          40,
          'select 1 as a',
          'select array(select as struct l.a as b, r.a as c from PREVIOUS l, PREVIOUS r) as a',
          'select count(*) as n from LAST',
        ),
        ends: tooMuch,
      },
      {
        name: 'columns that CTEs double',
        sql: steps(
          31,
          'select 1 as a',
          'select l.*, r.* from PREVIOUS l, PREVIOUS r',
          'select count(*) as n from LAST',
        ),
        ends: tooMuch,
      },
      {
        name: 'stars that CTEs double',
        sql: steps(
          50,
          'select 1 as a',
          'select *, * from PREVIOUS',
          'select count(*) as n from LAST',
        ),
        ends: tooMuch,
      },
      {
        name: 'four thousand columns of one name',
        sql: steps(
          12,
          'select 1 as a',
          'select *, * from PREVIOUS',
          'select count(*) as n from LAST',
        ),
        ends: bounded,
      },
      {
        name: 'whole records in a thousand columns',
        sql: `select ${many(1_000, (i) => `to_json_string(t) as c${i}`)} from edge_logs t`,
        ends: tooMuch,
      },
      {
        name: 'arrays of whole records in a hundred columns',
        sql: `select ${many(100, (i) => `array(select as struct * from edge_logs where id > '${i}') as a${i}`)}`,
        ends: tooMuch,
      },
      {
        name: 'records compared in a list',
        sql: `select count(*) as n from edge_logs t where ${many(400, (i) => `to_json_string(t) = '${i}'`, ' or ')}`,
        ends: tooMuch,
      },
      {
        name: 'a long alias read five hundred times in HAVING',
        sql: `select ${many(1_000, () => 'x', ' + ')} as a from unnest([1]) as x group by x having ${many(500, (i) => `a = ${i}`, ' or ')}`,
        ends: tooMuch,
      },
      {
        name: 'a long alias read five hundred times in ORDER BY',
        sql: `select ${many(400, (i) => `abs(x + ${i})`, ' + ')} as a from unnest([1]) as x order by ${many(500, (i) => `a + ${i}`)}`,
        ends: tooMuch,
      },
      {
        name: 'a rollup of a thousand keys',
        sql: `select count(*) as n from edge_logs group by rollup (${many(1_000, (i) => `concat(id, '${i}')`)})`,
        ends: ['invalidQuery'],
      },
      {
        name: 'a cube of thirty keys',
        sql: `select count(*) as n from edge_logs group by cube (${many(30, (i) => `substr(id, ${i + 1}, 1)`)})`,
        ends: ['invalidQuery'],
      },
      {
        name: 'cubes within grouping sets by cubes',
        sql: `select count(*) as n from edge_logs group by cube (${many(6, (i) => `substr(id, ${i + 1}, 1)`)}), cube (${many(6, (i) => `substr(event_message, ${i + 1}, 1)`)})`,
        ends: ['invalidQuery'],
      },
      {
        name: 'a pivot of thousands of aggregates by thousands of values',
        sql: `select * from edge_logs pivot (${many(3_000, () => 'sum(1)')} for id in (${many(8_000, () => '1')}))`,
        ends: tooMuch,
      },
      {
        name: 'a pivot of pivots',
        sql: `select * from edge_logs ${'pivot (sum(1) for id in (1, 2)) '.repeat(1_500)}`,
        ends: ['invalidQuery'],
      },
      {
        name: 'a long text beside a thousand patterns',
        sql: `select ${many(900, () => 'id', ' || ')} like any (${many(1_500, (i) => `'${i}'`)}) as b from edge_logs`,
        ends: bounded,
      },
      {
        name: 'a pivot of hundreds of values',
        sql: `select * from (select id, event_message as m, 1 as v from edge_logs) pivot (sum(v) as s, count(v) as c, avg(v) as a for m in (${many(600, (i) => `'${i}' as p${i}`)}))`,
        ends: bounded,
      },
    ],
  },
  {
    class: 'nesting',
    why: 'deep recursion in a parser crashes the process, and planning is exponential in nested subqueries',
    bombs: [
      { name: 'brackets', sql: `select ${nest(30_000, '(', '1', ')')} as n`, ends: tooMuch },
      { name: 'open brackets', sql: `select ${'['.repeat(60_000)}`, ends: tooMuch },
      { name: 'signs', sql: `select ${'- '.repeat(30_000)}1 as n`, ends: tooMuch },
      { name: 'NOT', sql: `select ${'not '.repeat(16_000)}true as n`, ends: tooMuch },
      { name: 'CASE', sql: `select ${'case when '.repeat(6_000)}`, ends: tooMuch },
      {
        name: 'types',
        sql: `select cast(null as ${nest(2_500, 'array<struct<a ', 'int64', '>>')}) as a`,
        ends: tooMuch,
      },
      {
        name: 'sub-selects thirty deep',
        sql: nest(30, 'select * from (', 'select id from edge_logs', ')'),
        ends: tooMuch,
      },
      {
        name: 'scalar sub-selects thirty deep',
        sql: `select ${nest(30, '(select ', '1', ')')} as n`,
        ends: tooMuch,
      },
      {
        name: 'sub-selects at their limit, each reading all those around it',
        sql: 'select count(*) as n from edge_logs a where exists (select 1 from edge_logs b where b.id > a.id and exists (select 1 from edge_logs c where c.id > b.id and c.id > a.id and exists (select 1 from edge_logs d where d.id > c.id and d.id <> a.id and d.event_message < b.event_message)))',
        ends: bounded,
      },
    ],
  },
  {
    class: 'planning',
    why: 'the engine ignores interrupts while it plans: its process is killed',
    bombs: [
      {
        name: 'CTEs that double by joins',
        sql: steps(
          20,
          'select id from edge_logs',
          'select a.id from PREVIOUS a join PREVIOUS b on a.id = b.id',
          'select count(*) as n from LAST',
        ),
        ends: bounded,
      },
      {
        name: 'CTEs that double by unions',
        sql: steps(
          63,
          'select 1 as id',
          'select id from PREVIOUS union all select id from PREVIOUS',
          'select count(*) as n from LAST',
        ),
        ends: stopped,
      },
      {
        name: 'CTEs that double by scalar sub-selects',
        sql: steps(
          30,
          'select 1 as id',
          'select (select max(id) from PREVIOUS) + (select min(id) from PREVIOUS) as id',
          'select id from LAST',
        ),
        ends: bounded,
      },
      {
        name: 'too many CTEs',
        sql: `with ${many(65, (i) => `c${i} as (select 1 as a)`)} select 1 as a`,
        ends: tooMuch,
      },
      {
        name: 'thirty-two joins, each with all before it',
        sql: `select count(*) as n from edge_logs t0 ${many(32, (i) => `join edge_logs t${i + 1} on ${many(i + 1, (j) => `t${i + 1}.id = t${j}.id`, ' and ')}`, ' ')}`,
        ends: bounded,
      },
      {
        name: 'twenty tables under alternatives',
        sql: `select count(*) as n from ${many(20, (i) => `edge_logs t${i}`)} where ${many(19, (i) => `(t${i}.id = t${i + 1}.id or t${i}.event_message = t${i + 1}.event_message)`, ' and ')}`,
        ends: bounded,
      },
      {
        name: 'too many joins',
        sql: `select count(*) as n from edge_logs t0 ${many(33, (i) => `join edge_logs t${i + 1} using (id)`, ' ')}`,
        ends: tooMuch,
      },
      {
        name: 'four thousand values in a list',
        sql: `select count(*) as n from edge_logs where id in (${many(4_000, (i) => `'${i}'`)})`,
        ends: bounded,
      },
      {
        name: 'alternatives of conjunctions',
        sql: `select count(*) as n from edge_logs where ${many(400, (i) => `(id = '${i}' and event_message = '${i}')`, ' or ')}`,
        ends: bounded,
      },
      {
        name: 'a chain of sixteen hundred ORs',
        sql: `select count(*) as n from edge_logs where ${many(1_500, (i) => `id = '${i}'`, ' or ')}`,
        ends: bounded,
      },
      {
        name: 'too many parts',
        sql: `select case ${many(1_300, (i) => `when id = '${i}' then ${i}`, ' ')} end as n from edge_logs`,
        ends: tooMuch,
      },
      {
        name: 'two thousand columns',
        sql: `select ${many(2_400, (i) => `id as c${i}`)} from edge_logs`,
        ends: bounded,
      },
      {
        name: 'hundreds of windows',
        sql: `select ${many(500, (i) => `row_number() over (order by concat(id, '${i}')) as w${i}`)} from edge_logs`,
        ends: bounded,
      },
      {
        name: 'three hundred intersections',
        sql: many(300, () => 'select id from edge_logs', ' intersect distinct '),
        ends: bounded,
      },
      {
        name: 'CASE of CASE',
        sql: `select ${nest(28, 'case (', 'x', ') when 1 then 1 when 2 then 2 end')} as n from unnest([1]) as x`,
        ends: bounded,
      },
      {
        name: 'casts in casts',
        sql: `select ${nest(28, 'cast(cast(', 'id', ' as timestamp) as string)')} as a from edge_logs where id = ''`,
        ends: bounded,
      },
      {
        name: 'recursion',
        sql: 'with recursive a as (select 1 as x union all select x + 1 from a) select max(x) as n from a',
        ends: refused,
      },
      {
        name: 'recursion that doubles its rows',
        sql: 'with recursive a as (select 1 as x union all select a.x from a, unnest([1, 2])) select count(*) as n from a',
        ends: stopped,
      },
      {
        name: 'recursion over recursion',
        sql: 'with recursive a as (select 1 as x union all select x + 1 from a where x < 500), b as (select 1 as x union all select b.x + 1 from b, a as l, a as r, a as s where b.x < 500 and l.x + r.x + s.x = 3) select count(*) as n from b',
        ends: bounded,
      },
    ],
  },
];
