import {
  type BombClass,
  bounded,
  crossed,
  many,
  rows,
  stopped,
  text,
} from '../../support/bombs.js';

/** Joins, sorts, windows and results. */
export const manyRows: readonly BombClass[] = [
  {
    class: 'joins',
    why: 'a join has as many rows as the product of its tables',
    bombs: [
      {
        name: 'three by ten thousand',
        sql: `select count(*) as n from ${crossed(3)} where x0 + x1 + x2 = 7`,
        ends: stopped,
      },
      {
        name: 'the logs four times',
        sql: 'select count(*) as n from edge_logs a cross join edge_logs b cross join edge_logs c cross join edge_logs d where a.id < d.id and b.event_message < c.event_message',
        ends: stopped,
      },
      {
        name: 'a million by a million on an inequality',
        sql: `select count(*) as n from ${rows(1_000_000)} join unnest(generate_array(1, 1000000)) as y on x < y and mod(x * y, 7) = 3`,
        ends: stopped,
      },
      {
        name: 'two keys for a million rows',
        sql: `select count(*) as n from (select mod(x, 2) as k, x from ${rows(1_000_000)}) a join (select mod(x, 2) as k, x from ${rows(1_000_000)}) b on a.k = b.k where a.x + b.x = -1`,
        ends: stopped,
      },
      {
        name: 'an array for each row',
        sql: `select count(*) as n from ${rows(1_000_000)} left join unnest(generate_array(1, x)) as y`,
        ends: [...stopped, 'invalidQuery'],
      },
    ],
  },
  {
    class: 'correlated sub-selects',
    why: 'a correlated subquery runs for each row',
    bombs: [
      {
        name: 'a count for each row',
        sql: `select sum((select count(*) from unnest(generate_array(1, 10000)) as y where y > x)) as n from ${rows(1_000_000)}`,
        ends: stopped,
      },
      {
        name: 'EXISTS for each row',
        sql: `select count(*) as n from (select x from ${rows(1_000_000)}) a where exists (select 1 from (select x from ${rows(1_000_000)}) b where b.x * b.x > a.x * 7 and mod(b.x, 7) = 8)`,
        ends: stopped,
      },
      {
        name: 'NOT IN for each row',
        sql: `select count(*) as n from ${rows(1_000_000)} where x not in (select y * 2 from unnest(generate_array(1, 1000000)) as y where y < x)`,
        ends: stopped,
      },
      {
        name: 'the first of an order for each row',
        sql: `select (select y from unnest(generate_array(1, 10000)) as y order by mod(y * x, 1001) limit 1) as n from ${rows(1_000_000)}`,
        ends: stopped,
      },
    ],
  },
  {
    class: 'sorts and windows',
    why: 'a sort keeps all rows, and a window frame may keep them again for each row',
    bombs: [
      {
        name: 'wide rows',
        sql: `select x, repeat('a', 1000) as s from ${rows(1_000_000)} order by to_hex(md5(${text(100)})) limit 10 offset 999900`,
        ends: stopped,
      },
      {
        name: 'a hundred million rows',
        sql: `select x0, x1 from ${crossed(2)} order by mod(x0 * 7919 + x1 * 104729, 1000003), x1 limit 10 offset 90000000`,
        ends: stopped,
      },
      {
        name: 'frames of a hundred thousand texts',
        sql: `select max(s) as n from (select string_agg(cast(x as string)) over (order by x rows between 100000 preceding and current row) as s from ${rows(1_000_000)})`,
        ends: stopped,
      },
      {
        name: 'lists of all before',
        sql: `select max(array_length(s)) as n from (select array_agg(x) over (order by x) as s from ${rows(1_000_000)})`,
        ends: stopped,
      },
      {
        name: 'medians over a hundred million',
        sql: `select max(s) as n from (select percentile_cont(x0 * x1, 0.5) over (partition by mod(x0, 3)) as s from ${crossed(2)})`,
        ends: stopped,
      },
    ],
  },
  {
    class: 'results',
    why: 'rows are collected, encoded and sent to the server: the result and its copies are limited',
    bombs: [
      {
        name: 'a thousand megabytes',
        sql: `select ${text(900_000)} as s from ${rows(1_000)}`,
        ends: stopped,
      },
      {
        name: 'just under the limit',
        sql: `select ${text(31_000)} as s from ${rows(1_000)}`,
        ends: bounded,
      },
      {
        name: 'just above the limit',
        sql: `select ${text(34_000)} as s from ${rows(1_000)}`,
        ends: stopped,
      },
      {
        name: 'control characters, six times as long in JSON',
        sql: `select ${text(30_000, '\\x01')} as s from ${rows(1_000)}`,
        ends: stopped,
      },
      {
        name: 'long arrays',
        sql: `select generate_array(1, 1000000) as a, x from ${rows(1_000)}`,
        ends: stopped,
      },
      {
        name: 'arrays of structs',
        sql: `select array(select as struct x, y, x * y as p from unnest(generate_array(1, 10000)) as y) as a from ${rows(1_000)}`,
        ends: stopped,
      },
      {
        name: 'a million cells',
        sql: `select ${many(1_000, (i) => `x + ${i} as c${i}`)} from ${rows(1_000)}`,
        ends: bounded,
      },
    ],
  },
];
