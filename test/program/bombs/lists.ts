import {
  type BombClass,
  crossed,
  many,
  refused,
  rows,
  steps,
  stopped,
  text,
} from '../../support/bombs.js';

/** Lists, aggregates and NUMERIC arithmetic. */
export const lists: readonly BombClass[] = [
  {
    class: 'lists',
    why: 'a list is built completely before it is read, ignoring interrupts',
    bombs: [
      {
        name: 'generate_array past its bound',
        sql: 'select generate_array(1, 100000000) as a',
        ends: refused,
      },
      {
        name: 'generate_array past its bound for rows',
        sql: `select sum(array_length(generate_array(x, x + 20000))) as n from ${rows(100)}`,
        ends: refused,
      },
      {
        name: 'generate_array within its bound for a million rows',
        sql: `select sum(array_length(array(select y * x from unnest(generate_array(x, x + 9999)) as y))) as n from ${rows(1_000_000)}`,
        ends: stopped,
      },
      {
        name: 'a step of nearly nothing',
        sql: 'select generate_array(0.0, 1e300, 1e-300) as a',
        ends: refused,
      },
      {
        name: 'NUMERIC by billionths',
        sql: "select generate_array(numeric '0', numeric '1000000', numeric '0.000000001') as a",
        ends: refused,
      },
      {
        name: 'all dates there are',
        sql: "select generate_date_array('0001-01-01', '9999-12-31') as a",
        ends: refused,
      },
      {
        name: 'every microsecond',
        sql: "select generate_timestamp_array('2000-01-01', '2026-01-01', interval 1 microsecond) as a",
        ends: refused,
      },
      {
        name: 'a list that CTEs double',
        sql: steps(
          10,
          'select generate_array(1, 600000) as a',
          'select array_concat(a, a) as a from PREVIOUS',
          'select array_length(a) as n from LAST',
        ),
        ends: [...stopped, 'invalidQuery'],
      },
      {
        name: 'letters of megabytes',
        sql: `select sum(array_length(split(${text(900_000)}, ''))) as n from ${rows(10_000)}`,
        ends: stopped,
      },
      {
        name: 'parts of megabytes, kept',
        sql: `select array_agg(array_to_string(split(${text(900_000, 'a,')}, ','), '-')) as a from ${rows(1_000)}`,
        ends: stopped,
      },
      {
        name: 'a search in a long list for each row',
        sql: `select sum(range_bucket(x, generate_array(1, 1000000))) as n from ${rows(100_000)}`,
        ends: stopped,
      },
    ],
  },
  {
    class: 'aggregates with a large state',
    why: 'the engine keeps the state of an aggregate as one value',
    bombs: [
      {
        name: 'string_agg of a hundred million',
        sql: `select length(string_agg(cast(x0 * x1 as string))) as n from ${crossed(2)}`,
        ends: stopped,
      },
      {
        name: 'string_agg, distinct and in order',
        sql: `select length(string_agg(distinct cast(x0 * x1 as string) order by cast(x0 * x1 as string))) as n from ${crossed(2)}`,
        ends: stopped,
      },
      {
        name: 'array_agg of structs',
        sql: `select array_agg(struct(x0, x1, x0 * x1 as p)) as a from ${crossed(2)}`,
        ends: stopped,
      },
      {
        name: 'DISTINCT of a hundred million',
        sql: `select count(*) as n from (select distinct x0 * 100000 + x1 as k from ${crossed(2)})`,
        ends: stopped,
      },
      {
        name: 'GROUP BY of a hundred million',
        sql: `select count(*) as n from (select x0, x1, array_agg(x0) as a from ${crossed(2)} group by x0, x1)`,
        ends: stopped,
      },
      {
        name: 'count of distinct long texts',
        sql: `select count(distinct concat(cast(x0 as string), repeat('a', 100), cast(x1 as string))) as n from ${crossed(2)}`,
        ends: stopped,
      },
      {
        name: 'a hundred thousand quantiles',
        sql: `select approx_quantiles(x0 * x1, 100000) as a from ${crossed(2)}`,
        ends: stopped,
      },
      {
        name: 'UNION DISTINCT',
        sql: `select count(*) as n from (select x0 * x1 as k from ${crossed(2)} union distinct select x0 + x1 from ${crossed(2)})`,
        ends: stopped,
      },
    ],
  },
  {
    class: 'NUMERIC and times',
    why: 'exact arithmetic and calendars are macros with many steps',
    bombs: [
      {
        name: 'NUMERIC quotients',
        sql: `select sum(cast(x0 as numeric) / cast(x1 as numeric)) as n from ${crossed(2)}`,
        ends: stopped,
      },
      {
        name: 'BIGNUMERIC products',
        sql: `select sum(cast(x0 as bignumeric) * cast(x1 as bignumeric)) as n from ${crossed(2)}`,
        ends: stopped,
      },
      {
        name: 'NUMERIC quotients in five hundred columns',
        sql: `select ${many(500, (i) => `cast(x as numeric) / (x + ${i}) as c${i}`)} from ${rows(1_000_000)}`,
        ends: stopped,
      },
      {
        name: 'intervals justified',
        sql: `select count(justify_interval(interval x0 hour)) as n from ${crossed(2)} where extract(day from justify_interval(interval x1 hour)) >= 0`,
        ends: stopped,
      },
      {
        name: 'instants read from texts',
        sql: `select count(parse_timestamp('%Y %j', concat('2000 ', cast(mod(x0 + x1, 365) + 1 as string)))) as n from ${crossed(2)}`,
        ends: stopped,
      },
    ],
  },
];
