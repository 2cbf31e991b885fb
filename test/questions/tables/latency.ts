import {
  asc,
  count,
  desc,
  groupBy,
  groups,
  max,
  mean,
  min,
  percentile,
  percentileOfValues,
  range,
  round,
  sort,
  sum,
  variance,
} from '../lists.js';
import type { Question } from '../question.js';
import { date, floorTo, hour } from '../times.js';

const from = `from edge_logs as t
      cross join unnest(t.metadata) as m
      cross join unnest(m.request) as request
      cross join unnest(m.response) as response`;

const durations = (items: readonly { readonly ms: number }[]) => items.map(({ ms }) => ms);

/** Response times. */
export const latency: readonly Question[] = [
  {
    ask: 'What is the median response time?',
    sql: `select percentile_cont(response.origin_time, 0.5) over () as median ${from} limit 1`,
    answer: ({ edge }) => [{ median: percentile(durations(edge), 0.5) }],
  },
  {
    ask: 'What are the 50th, 95th and 99th percentile of the response time of each path?',
    sql: `with p as (
        select request.path,
          percentile_cont(response.origin_time, 0.5) over w as p50,
          percentile_cont(response.origin_time, 0.95) over (partition by request.path) as p95,
          percentile_cont(response.origin_time, 0.99) over (partition by request.path) as p99
        ${from}
        window w as (partition by request.path)
      )
      select distinct path, p50, p95, p99 from p order by path`,
    inexact: true,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => path)].map(([path, items]) => ({
          path,
          p50: percentile(durations(items), 0.5),
          p95: percentile(durations(items), 0.95),
          p99: percentile(durations(items), 0.99),
        })),
        asc(({ path }) => path),
      ),
  },
  {
    ask: 'Which response time do 90 % of the requests of each method not exceed?',
    sql: `select distinct method, percentile_disc(origin_time, 0.9) over (partition by method) as p90
      ${from} order by method`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ method }) => method)].map(([method, items]) => ({
          method,
          p90: percentileOfValues(durations(items), 0.9),
        })),
        asc(({ method }) => method),
      ),
  },
  {
    ask: 'What are the least and the greatest response time per country, by approximate quantiles?',
    sql: `select country, approx_quantiles(origin_time, 4)[offset(0)] as least,
        approx_quantiles(origin_time, 4)[ordinal(5)] as greatest
      ${from} cross join unnest(request.cf) cf group by country order by country`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ country }) => country)].map(([country, items]) => ({
          country,
          least: min(durations(items)),
          greatest: max(durations(items)),
        })),
        asc(({ country }) => country),
      ),
  },
  {
    ask: 'What are mean, standard deviation and variance of the response time?',
    sql: `select avg(response.origin_time) as mean, stddev(response.origin_time) as deviation,
        var_samp(response.origin_time) as variance, var_pop(response.origin_time) as of_all ${from}`,
    inexact: true,
    answer: ({ edge }) => {
      const all = durations(edge);
      const spread = variance(all);
      return [
        {
          mean: mean(all),
          deviation: Math.sqrt(spread),
          variance: spread,
          of_all: (spread * (all.length - 1)) / all.length,
        },
      ];
    },
  },
  {
    ask: 'Which requests are slower than the mean by more than three standard deviations?',
    sql: `with stats as (select avg(response.origin_time) as mu, stddev_pop(response.origin_time) as sigma ${from})
      select t.id, response.origin_time, request.path ${from}
      cross join stats as s
      where response.origin_time > s.mu + 3 * s.sigma
      order by response.origin_time desc, t.id limit 20`,
    answer: ({ edge }) => {
      const all = durations(edge);
      const sigma = Math.sqrt((variance(all) * (all.length - 1)) / all.length);
      return sort(
        edge.filter(({ ms }) => ms > mean(all) + 3 * sigma),
        desc(({ ms }) => ms),
        asc(({ id }) => id),
      )
        .slice(0, 20)
        .map(({ id, ms, path }) => ({ id, origin_time: ms, path }));
    },
  },
  {
    ask: 'How many requests are outliers by the interquartile rule, per path?',
    sql: `with q as (
        select distinct path,
          percentile_cont(origin_time, 0.25) over (partition by path) as q1,
          percentile_cont(origin_time, 0.75) over (partition by path) as q3
        ${from}
      )
      select q.path, countif(origin_time > q3 + 1.5 * (q3 - q1)) as slow
      ${from} join q on q.path = request.path
      group by q.path having slow > 0 order by slow desc, path`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => path)].map(([path, items]) => {
          const [q1, q3] = [percentile(durations(items), 0.25), percentile(durations(items), 0.75)];
          return { path, slow: count(items, ({ ms }) => ms > q3 + 1.5 * (q3 - q1)) };
        }),
        desc(({ slow }) => slow),
        asc(({ path }) => path),
      ).filter(({ slow }) => slow > 0),
  },
  {
    ask: 'How many requests are in each bucket of response time (0, 10, 50, 100, 500, 1000 ms and more)?',
    sql: `select range_bucket(response.origin_time, [10, 50, 100, 500, 1000]) as bucket, count(*) as n
      ${from} group by bucket order by bucket`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ ms }) => count([10, 50, 100, 500, 1000], (bound) => bound <= ms))].map(
          ([bucket, { length: n }]) => ({ bucket, n }),
        ),
        asc(({ bucket }) => bucket),
      ),
  },
  {
    ask: 'And with names for the buckets, in order, also for those without requests?',
    sql: `with buckets as (
        select * from unnest([struct('fast' as name, 0 as low, 20 as high), ('fine', 20, 200), ('slow', 200, 2000),
          ('awful', 2000, 100000), ('hanging', 100000, 1000000)]) with offset as place
      )
      select b.name, count(r.origin_time) as n
      from buckets b
      left join (select response.origin_time ${from}) r on r.origin_time >= b.low and r.origin_time < b.high
      group by b.name, b.place order by b.place`,
    answer: ({ edge }) => {
      const bounds = [0, 20, 200, 2_000, 100_000, 1_000_000];
      return ['fast', 'fine', 'slow', 'awful', 'hanging'].map((name, index) => ({
        name,
        n: count(edge, ({ ms }) => ms >= (bounds[index] ?? 0) && ms < (bounds[index + 1] ?? 0)),
      }));
    },
  },
  {
    ask: 'How does a histogram of the response times below 200 ms look in steps of 25 ms?',
    sql: `select cast(floor(response.origin_time / 25) * 25 as int64) as from_ms, repeat('#', div(count(*), 20)) as bar
      ${from} where response.origin_time < 200 group by from_ms order by from_ms`,
    answer: ({ edge }) =>
      range(0, 175, 25)
        .map((from_ms) => ({
          from_ms,
          n: count(edge, ({ ms }) => floorTo(ms, 25) === from_ms),
        }))
        .filter(({ n }) => n > 0)
        .map(({ from_ms, n }) => ({ from_ms, bar: '#'.repeat(Math.floor(n / 20)) })),
  },
  {
    ask: 'What are the three slowest requests of each path?',
    sql: `select path, origin_time, id from (
        select request.path, response.origin_time, t.id,
          row_number() over (partition by request.path order by response.origin_time desc, t.id) as nr ${from}
      ) where nr <= 3 order by path, nr`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => path)],
        asc(([path]) => path),
      ).flatMap(([path, items]) =>
        sort(
          items,
          desc(({ ms }) => ms),
          asc(({ id }) => id),
        )
          .slice(0, 3)
          .map(({ ms, id }) => ({ path, origin_time: ms, id })),
      ),
  },
  {
    ask: 'Which share of the total time does each path take?',
    sql: `select path, sum(origin_time) as total,
        round(ratio, 3) as share
      from (
        select request.path, response.origin_time,
          sum(response.origin_time) over (partition by request.path) / sum(response.origin_time) over () as ratio
        ${from}
      ) group by path, ratio order by total desc, path`,
    answer: ({ edge }) => {
      const whole = sum(durations(edge));
      return sort(
        [...groupBy(edge, ({ path }) => path)].map(([path, items]) => {
          const total = sum(durations(items));
          return { path, total, share: round(total / whole, 3) };
        }),
        desc(({ total }) => total),
        asc(({ path }) => path),
      );
    },
  },
  {
    ask: 'What was the slowest request of each day, with its path?',
    sql: `select date(t.timestamp) as d,
        array_agg(struct(request.path as path, response.origin_time as ms) order by response.origin_time desc, t.id limit 1)[offset(0)].*
      ${from} group by d order by d`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => date(at))],
        asc(([d]) => d),
      ).map(([d, items]) => {
        const [slowest] = sort(
          items,
          desc(({ ms }) => ms),
          asc(({ id }) => id),
        );
        return { d, path: slowest?.path ?? '', ms: slowest?.ms ?? 0 };
      }),
  },
  {
    ask: 'By max_by and min_by: the slowest and the fastest path?',
    sql: `select max_by(request.path, response.origin_time * 10000 + length(t.event_message)) is not null as any_path,
        max(response.origin_time) as slowest, min_by(response.origin_time, response.origin_time) as fastest ${from}`,
    answer: ({ edge }) => [
      { any_path: true, slowest: max(durations(edge)), fastest: min(durations(edge)) },
    ],
  },
  {
    ask: 'How is the mean response time of each hour smoothed over three hours?',
    sql: `with hourly as (
        select timestamp_trunc(t.timestamp, hour) as h, avg(response.origin_time) as ms ${from}
        where t.timestamp >= '2026-03-10' group by h
      )
      select h, avg(ms) over (order by h rows between 2 preceding and current row) as smooth
      from hourly order by h`,
    inexact: true,
    answer: ({ edge }) => {
      const today = edge.filter(({ at }) => date(at) >= '2026-03-10');
      const hourly = sort(
        [...groupBy(today, ({ at }) => floorTo(at, hour))].map(([h, items]) => ({
          h,
          ms: mean(durations(items)),
        })),
        asc(({ h }) => h),
      );
      return hourly.map(({ h }, index) => ({
        h,
        smooth: mean(hourly.slice(Math.max(0, index - 2), index + 1).map(({ ms }) => ms)),
      }));
    },
  },
  {
    ask: 'Is the response time correlated with the round trip of the client?',
    sql: `select round(corr(response.origin_time, cf.clientTcpRtt), 9) as r,
        covar_pop(response.origin_time, cf.clientTcpRtt) as covariance
      ${from} cross join unnest(request.cf) as cf`,
    inexact: true,
    answer: ({ edge }) => {
      const [x, y] = [durations(edge), edge.map(({ rtt }) => rtt)];
      const [mx, my] = [mean(x), mean(y)];
      const products = x.map((value, index) => (value - mx) * ((y[index] ?? 0) - my));
      const size = Math.sqrt(variance(x) * variance(y)) * (x.length - 1);
      return [{ r: round(sum(products) / size, 9), covariance: mean(products) }];
    },
  },
  {
    ask: 'Which functions exceed their usual time (the mean) by the factor five, and how often?',
    sql: `select function_id, count(*) as n from (
        select m.function_id, m.execution_time_ms,
          avg(m.execution_time_ms) over (partition by m.function_id) as usual
        from function_edge_logs cross join unnest(metadata) as m
      ) where execution_time_ms > 5 * usual group by function_id order by function_id`,
    answer: ({ calls }) =>
      sort(
        [...groupBy(calls, ({ fn }) => fn)].map(([function_id, items]) => ({
          function_id,
          n: count(items, ({ ms }) => ms > 5 * mean(durations(items))),
        })),
        asc(({ function_id }) => function_id),
      ).filter(({ n }) => n > 0),
  },
  {
    ask: 'How long did the authentication take per path, in milliseconds with three digits?',
    sql: `select m.path, count(*) as n, format('%.3f', avg(cast(m.duration as int64)) / 1e6) as ms
      from auth_logs cross join unnest(metadata) as m group by m.path order by m.path`,
    answer: ({ auth }) =>
      sort(
        [...groupBy(auth, ({ path }) => path)].map(([path, items]) => ({
          path,
          n: items.length,
          ms: (mean(items.map(({ duration }) => duration)) / 1e6).toFixed(3),
        })),
        asc(({ path }) => path),
      ),
  },
  {
    ask: 'How many requests met an objective of 300 ms, per content type and in total?',
    sql: `select h.content_type, countif(response.origin_time <= 300) as met, count(*) as n,
        grouping(h.content_type) as is_total
      ${from} cross join unnest(response.headers) as h
      group by rollup (h.content_type) order by is_total, content_type`,
    answer: ({ edge }) => [
      ...sort(
        groups(edge, ({ type }) => ({ content_type: type })).map(({ key, items }) => ({
          ...key,
          met: count(items, ({ ms }) => ms <= 300),
          n: items.length,
          is_total: 0,
        })),
        asc(({ content_type }) => content_type),
      ),
      { content_type: null, met: count(edge, ({ ms }) => ms <= 300), n: edge.length, is_total: 1 },
    ],
  },
  {
    ask: 'What is the Apdex of each product, satisfied below 100 ms and tolerating below 400 ms?',
    sql: `select split(request.path, '/')[safe_offset(1)] as product,
        (countif(response.origin_time <= 100) + countif(response.origin_time > 100 and response.origin_time <= 400) / 2) / count(*) as apdex
      ${from} group by product order by apdex desc, product`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => path.split('/')[1] ?? null)].map(([product, items]) => {
          const satisfied = count(items, ({ ms }) => ms <= 100);
          const tolerating = count(items, ({ ms }) => ms > 100 && ms <= 400);
          return { product, apdex: (satisfied + tolerating / 2) / items.length };
        }),
        desc(({ apdex }) => apdex),
        asc(({ product }) => product),
      ),
  },
];
