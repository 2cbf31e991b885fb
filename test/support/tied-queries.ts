import { randomFrom } from './random.js';

/** Queries whose answer depends on how ties are decided, over records of `tied-worlds.ts`. */
const fixed: readonly string[] = [
  'select * from edge_logs limit 7',
  'select metadata from edge_logs order by timestamp desc limit 9',
  'select timestamp from edge_logs order by timestamp limit 9',
  'select event_message from edge_logs order by timestamp desc limit 6 offset 3',
  'select event_message from edge_logs',
  "select id, metadata from edge_logs where event_message like 'GET%' order by timestamp desc limit 5",
  "select metadata from edge_logs where event_message like 'GET%' order by length(event_message) limit 5",
  'select distinct substr(event_message, 1, 4) from edge_logs limit 2',
  'select path, count(*) as n from edge_logs, unnest(metadata) m, unnest(m.request) group by path order by 2 desc limit 3',
  'select method, count(*) as n from edge_logs, unnest(metadata) m, unnest(m.request) r group by 1 order by mod(n, 2) limit 2',
  'select path, status_code, count(*) from edge_logs, unnest(metadata) m, unnest(m.request), unnest(m.response) group by rollup(1, 2) limit 6',
  'select id from edge_logs union all select event_message from edge_logs limit 9',
  '(select id from edge_logs order by timestamp limit 5) union all (select event_message from edge_logs limit 3) order by length(id)',
  'select event_message from (select * from edge_logs order by timestamp desc limit 6) order by length(event_message)',
  'with few as (select event_message as m from edge_logs order by timestamp limit 10) select m, count(*) over () from few limit 4',
  'select count(*), min(m) from (select event_message as m from edge_logs limit 10)',
  'select event_message, row_number() over (order by timestamp) as n from edge_logs order by n desc limit 8',
  'select event_message, rank() over (order by timestamp) as n from edge_logs order by n limit 8',
  'select event_message, lag(event_message) over (order by timestamp) as l, lead(id) over (order by timestamp) as n from edge_logs order by timestamp limit 8',
  'select id, first_value(event_message) over (order by timestamp desc) as f, last_value(event_message) over (order by timestamp) as l from edge_logs limit 8',
  'select id, nth_value(event_message, 2) over (partition by timestamp) as f, ntile(7) over (order by timestamp) as t from edge_logs limit 8',
  'select id, sum(took) over (order by timestamp rows between 3 preceding and current row) as s, avg(took) over () as a from edge_logs, unnest(metadata) order by timestamp limit 9',
  ...[
    'count(*)',
    'min(event_message)',
    'sum(length(event_message))',
    'sum(took)',
    'any_value(id)',
    'max_by(id, took)',
  ].map(
    (call) =>
      `select event_message, ${call} over (order by timestamp rows between unbounded preceding and current row) as n from edge_logs, unnest(metadata) order by n, event_message limit 30`,
  ),
  'select event_message, count(*) over (order by timestamp rows between unbounded preceding and current row) as n from edge_logs order by n limit 30',
  'select event_message, countif(length(id) > 20) over (order by timestamp rows 2 preceding) as n from edge_logs order by timestamp limit 30',
  'select event_message from edge_logs where true qualify row_number() over (partition by timestamp order by length(event_message)) = 1 order by timestamp limit 9',
  'select array_agg(event_message limit 3) as a, string_agg(id limit 3) as s, any_value(event_message) as v from edge_logs',
  'select timestamp, array_agg(event_message order by length(event_message) limit 2) as a, string_agg(distinct substr(event_message, 1, 4)) as s from edge_logs group by timestamp order by timestamp limit 4',
  'select array(select event_message from edge_logs limit 3) as a, array(select event_message from edge_logs order by timestamp desc limit 3) as b',
  'select max_by(event_message, timestamp) as a, min_by(id, timestamp) as b, any_value(event_message having max length(event_message)) as c from edge_logs',
  'select array_agg(event_message having max timestamp) as a, sum(took having min timestamp) as s from edge_logs, unnest(metadata)',
  'select path, sum(took) as s, avg(took) as a, stddev(took) as d, variance(took * 1e9) as v, corr(took, length(id) / 3) as c from edge_logs, unnest(metadata) m, unnest(m.request) group by path',
  'select sum(took / 1e30) as s, avg(took * 1e30) as a, sum(distinct round(took / 7)) as d from edge_logs, unnest(metadata)',
  'select approx_quantiles(took, 4) as q, approx_top_count(substr(event_message, 1, 6), 3) as c, approx_top_sum(substr(event_message, 1, 5), took, 2) as s from edge_logs, unnest(metadata)',
  'select tag, event_message from edge_logs, unnest(metadata) m, unnest(m.tags) as tag order by timestamp limit 9',
  'select a.id, b.event_message from edge_logs a join edge_logs b on a.timestamp = b.timestamp order by a.timestamp limit 9',
  'select a.id, b.event_message from edge_logs a left join edge_logs b on a.id = b.id and b.event_message like "G%" limit 9',
  'from edge_logs |> where event_message like "%2%" |> select event_message, timestamp |> order by timestamp |> limit 5',
  'from edge_logs |> aggregate count(*) as n, any_value(id) as id group by timestamp |> order by n desc |> limit 5',
  'select event_message from edge_logs where timestamp > "2026-03-10T11:00:10Z" order by timestamp limit 6',
  'select struct(event_message, id) as s, [id, event_message] as l from edge_logs order by timestamp limit 6',
  'select as struct event_message from edge_logs order by timestamp desc limit 6',
  'select event_message in (select event_message from edge_logs order by timestamp limit 4) as is_first, event_message from edge_logs order by 1 desc limit 6',
];

const columns = [
  'id',
  'event_message',
  'm.took',
  'r.path',
  'r.method',
  's.status_code',
  't.timestamp',
  'm.tags',
];
const keys = [
  't.timestamp',
  't.timestamp desc',
  'r.method',
  's.status_code desc',
  'length(event_message)',
];
const conditions = [
  'true',
  "event_message like 'G%'",
  's.status_code = 200',
  "t.timestamp >= '2026-03-10T11:00:05Z'",
];

/** The fixed queries, and random ones. */
export function tiedQueries(random: number, seed = 5): readonly string[] {
  const next = randomFrom(seed);
  const any = <T>(list: readonly T[]) => list[next() % list.length];
  const some = (list: readonly string[], most: number) =>
    [...new Set(Array.from({ length: 1 + (next() % most) }, () => any(list)))].join(', ');
  const from = 'from edge_logs t, unnest(t.metadata) m, unnest(m.request) r, unnest(m.response) s';
  const made = Array.from({ length: random }, () => {
    const rows = `${from} where ${any(conditions)}`;
    const limit = `limit ${1 + (next() % 12)}`;
    if (next() % 3 === 0) {
      return `select ${some(['r.method', 's.status_code', 'r.path'], 2)}, count(*) as n, sum(m.took) as x, any_value(t.id) as y
        ${rows} group by all order by ${any(['n', 'n desc', 'mod(n, 3)'])} ${limit}`;
    }
    const order = next() % 4 === 0 ? '' : `order by ${some(keys, 2)}`;
    return `select ${some(columns, 3)} ${rows} ${order} ${next() % 4 === 0 ? '' : limit}`;
  });
  return [...fixed, ...made];
}
