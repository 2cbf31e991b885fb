import { asc, count, desc, distinct, groupBy, groups, max, min, sort, sum } from '../lists.js';
import type { Question } from '../question.js';
import {
  date,
  day,
  floorTo,
  hour,
  hourOfDay,
  iso,
  minute,
  startOfWeek,
  weekday,
} from '../times.js';

const joins = 'cross join unnest(metadata) as m cross join unnest(m.request) as request';
const both = `${joins} cross join unnest(m.response) as response`;

/** Counts and shares of requests, over time and by what they ask for. */
export const traffic: readonly Question[] = [
  {
    ask: 'How many requests are in the logs?',
    sql: 'select count(*) as requests from edge_logs',
    answer: ({ edge }) => [{ requests: edge.length }],
  },
  {
    ask: 'How many requests had each status code, most frequent first?',
    sql: `SELECT response.status_code, COUNT(*) AS requests
      FROM edge_logs ${both}
      GROUP BY response.status_code
      ORDER BY requests DESC, status_code`,
    answer: ({ edge }) =>
      sort(
        groups(edge, ({ status }) => ({ status_code: status })).map(({ key, items }) => ({
          ...key,
          requests: items.length,
        })),
        desc(({ requests }) => requests),
        asc(({ status_code }) => status_code),
      ),
  },
  {
    ask: 'What are the five busiest paths with their share of all requests in percent?',
    sql: `with requests as (
        select request.path from edge_logs ${joins}
      )
      select path, count(*) as n, round(100 * count(*) / sum(count(*)) over (), 2) as percent
      from requests
      group by path
      order by n desc, path
      limit 5`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => path)].map(([path, { length: n }]) => ({
          path,
          n,
          percent: Math.round((10_000 * n) / edge.length) / 100,
        })),
        desc(({ n }) => n),
        asc(({ path }) => path),
      ).slice(0, 5),
  },
  {
    ask: 'How many requests were there on each day?',
    sql: `select timestamp_trunc(timestamp, day) as day, count(id) as requests
      from edge_logs group by day order by day`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => floorTo(at, day))].map(([start, { length }]) => ({
          day: start,
          requests: length,
        })),
        asc((row) => row.day),
      ),
  },
  {
    ask: 'How many requests were there in each week, when weeks begin on Sunday?',
    sql: `select date_trunc(date(timestamp), week) as week, count(*) as requests
      from edge_logs group by 1 order by 1`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => date(startOfWeek(at)))].map(([week, { length }]) => ({
          week,
          requests: length,
        })),
        asc(({ week }) => week),
      ),
  },
  {
    ask: 'And in each ISO week, with its number?',
    sql: `select timestamp_trunc(timestamp, isoweek) as week,
        extract(isoweek from any_value(timestamp)) as number, count(*) as requests
      from edge_logs group by week order by week`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => startOfWeek(at, 1))].map(([week, { length }]) => ({
          week,
          // The first ISO week of 2026 begins on 2025-12-29.
          number: 1 + (week / 1000 - Date.UTC(2025, 11, 29)) / 604_800_000,
          requests: length,
        })),
        asc(({ week }) => week),
      ),
  },
  {
    ask: 'At which hours of the day is there most traffic?',
    sql: `select extract(hour from timestamp) as hour_of_day, count(*) as requests
      from edge_logs group by hour_of_day order by requests desc, hour_of_day limit 6`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => hourOfDay(at))].map(([hour_of_day, { length }]) => ({
          hour_of_day,
          requests: length,
        })),
        desc(({ requests }) => requests),
        asc(({ hour_of_day }) => hour_of_day),
      ).slice(0, 6),
  },
  {
    ask: 'How is traffic spread over the days of the week?',
    sql: `select format_timestamp('%A', timestamp) as weekday, count(*) as requests
      from edge_logs group by weekday, extract(dayofweek from timestamp)
      order by extract(dayofweek from timestamp)`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => weekday(at))],
        asc(([number]) => number),
      ).map(([number, { length }]) => ({ weekday: weekdays[number] ?? '', requests: length })),
  },
  {
    ask: 'Which were the three busiest minutes?',
    sql: `select timestamp_trunc(timestamp, minute) as minute, count(*) as requests
      from edge_logs group by minute order by requests desc, minute limit 3`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => floorTo(at, minute))].map(([start, { length }]) => ({
          minute: start,
          requests: length,
        })),
        desc(({ requests }) => requests),
        asc((row) => row.minute),
      ).slice(0, 3),
  },
  {
    ask: 'How many requests used each method, and how many paths did they ask for?',
    sql: `select r.method, count(*) as requests, count(distinct r.path) as paths
      from edge_logs as t, unnest(t.metadata) as m, unnest(m.request) as r
      group by all order by 1`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ method }) => method)].map(([method, items]) => ({
          method,
          requests: items.length,
          paths: distinct(items.map(({ path }) => path)).length,
        })),
        asc(({ method }) => method),
      ),
  },
  {
    ask: 'Which countries sent at least a hundred requests?',
    sql: `select cf.country, count(*) as requests
      from edge_logs ${joins} cross join unnest(request.cf) as cf
      group by cf.country having count(*) >= 100 order by requests desc, country`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ country }) => country)].map(([country, { length }]) => ({
          country,
          requests: length,
        })),
        desc(({ requests }) => requests),
        asc(({ country }) => country),
      ).filter(({ requests }) => requests >= 100),
  },
  {
    ask: 'How many requests came from each continent, in total and from bots (score below 30)?',
    sql: `select continent, count(*) as total, countif(b.score < 30) as bots
      from edge_logs
      cross join unnest(metadata) as m
      cross join unnest(m.request) as r
      cross join unnest(r.cf) as cf
      cross join unnest(cf.botManagement) as b
      group by continent order by continent`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ continent }) => continent)].map(([continent, items]) => ({
          continent,
          total: items.length,
          bots: count(items, ({ bot }) => bot < 30),
        })),
        asc(({ continent }) => continent),
      ),
  },
  {
    ask: 'How many records has each source in total, and when were its first and last?',
    sql: `select 'auth' as source, count(*) as n, min(timestamp) as oldest, max(timestamp) as newest from auth_logs
      union all select 'db', count(*), min(timestamp), max(timestamp) from db_logs
      union all select 'edge', count(*), min(timestamp), max(timestamp) from edge_logs
      union all select 'pooler', count(*), min(timestamp), max(timestamp) from pooler_logs
      union all select 'rest', count(*), min(timestamp), max(timestamp) from rest_logs
      order by source`,
    answer: ({ auth, db, edge, pooler, rest }) =>
      Object.entries({ auth, db, edge, pooler, rest }).map(([source, items]) => ({
        source,
        n: items.length,
        oldest: min(items.map(({ at }) => at)),
        newest: max(items.map(({ at }) => at)),
      })),
  },
  {
    ask: 'What are the newest five requests?',
    sql: `select id, timestamp, event_message from edge_logs order by timestamp desc limit 5`,
    answer: ({ edge }) =>
      sort(
        edge,
        desc(({ at }) => at),
      )
        .slice(0, 5)
        .map(({ id, at, message }) => ({ id, timestamp: at, event_message: message })),
  },
  {
    ask: 'How many requests came in the last hour before noon of March 10, by five minutes?',
    sql: `select timestamp_seconds(300 * div(unix_seconds(timestamp), 300)) as bucket, count(*) as n
      from edge_logs
      where timestamp >= timestamp_sub(timestamp '2026-03-10 12:00:00+00', interval 1 hour)
      group by bucket order by bucket`,
    answer: ({ edge }) =>
      sort(
        [
          ...groupBy(
            edge.filter(({ at }) => iso(at) >= '2026-03-10T11:00:00'),
            ({ at }) => floorTo(at, 5 * minute),
          ),
        ].map(([bucket, { length }]) => ({ bucket, n: length })),
        asc(({ bucket }) => bucket),
      ),
  },
  {
    ask: 'How many requests were read-only, how many wrote, and what share wrote?',
    sql: `select countif(method in ('GET', 'HEAD')) as reads,
        countif(method not in ('GET', 'HEAD')) as writes,
        countif(method not in ('GET', 'HEAD')) / count(*) as share
      from edge_logs ${joins}`,
    answer: ({ edge }) => {
      const reads = count(edge, ({ method }) => method === 'GET' || method === 'HEAD');
      const writes = edge.length - reads;
      return [{ reads, writes, share: writes / edge.length }];
    },
  },
  {
    ask: 'How many requests go to each product, by the first part of the path?',
    sql: `select
        case
          when starts_with(path, '/rest/') then 'database'
          when starts_with(path, '/auth/') then 'auth'
          when path like '/storage/%' then 'storage'
          when regexp_contains(path, r'^/functions/v\\d+/') then 'functions'
          else 'other'
        end as product,
        count(*) as requests
      from edge_logs ${joins}
      group by product order by requests desc, product`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => products.get(path.split('/')[1] ?? '') ?? 'other')].map(
          ([product, { length }]) => ({ product, requests: length }),
        ),
        desc(({ requests }) => requests),
        asc(({ product }) => product),
      ),
  },
  {
    ask: 'How many requests were there per status class and protocol?',
    sql: `select concat(cast(div(response.status_code, 100) as string), 'xx') as class,
        cf.httpProtocol as protocol, count(1) as n
      from edge_logs ${both} cross join unnest(request.cf) as cf
      group by 1, 2 order by 1, 2`,
    answer: ({ edge }) =>
      sort(
        groups(edge, ({ status, protocol }) => ({
          class: `${Math.floor(status / 100)}xx`,
          protocol,
        })).map(({ key, items }) => ({ ...key, n: items.length })),
        asc((row) => row.class),
        asc(({ protocol }) => protocol),
      ),
  },
  {
    ask: 'What is the average, least and greatest number of requests per hour on March 9?',
    sql: `with per_hour as (
        select timestamp_trunc(timestamp, hour) as h, count(*) as n
        from edge_logs where date(timestamp) = '2026-03-09' group by h
      )
      select avg(n) as average, min(n) as least, max(n) as greatest, count(*) as hours from per_hour`,
    answer: ({ edge }) => {
      const day9 = edge.filter(({ at }) => date(at) === '2026-03-09');
      const counts = [...groupBy(day9, ({ at }) => floorTo(at, hour)).values()].map(
        (all) => all.length,
      );
      return [
        {
          average: sum(counts) / counts.length,
          least: min(counts),
          greatest: max(counts),
          hours: counts.length,
        },
      ];
    },
  },
  {
    ask: 'How many bytes did the responses have per content type, and on average?',
    sql: `select h.content_type, sum(cast(h.content_length as int64)) as bytes,
        round(avg(safe_cast(h.content_length as float64)), 1) as average
      from edge_logs ${both} left join unnest(response.headers) as h
      group by h.content_type order by h.content_type nulls last`,
    answer: ({ edge }) =>
      [...new Set(edge.map(({ type }) => type))]
        .sort((a, b) => ((a ?? '~') < (b ?? '~') ? -1 : 1))
        .map((type) => {
          const sizes = edge
            .filter((one) => one.type === type && one.length !== null)
            .map(({ length }) => Number(length));
          const bytes = sizes.length === 0 ? null : sum(sizes);
          const average = bytes === null ? null : Math.round((10 * bytes) / sizes.length) / 10;
          return { content_type: type, bytes, average };
        }),
  },
];

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

const products = new Map([
  ['rest', 'database'],
  ['auth', 'auth'],
  ['storage', 'storage'],
  ['functions', 'functions'],
]);
