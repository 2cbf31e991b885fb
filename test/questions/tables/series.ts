import {
  asc,
  count,
  desc,
  first,
  groupBy,
  last,
  max,
  mean,
  min,
  range,
  round,
  sort,
  sum,
} from '../lists.js';
import type { Logs } from '../logs.js';
import type { Question } from '../question.js';
import { date, day, floorTo, hour, iso, micros, minute, startOfWeek } from '../times.js';

/** The requests of each hour that has any. */
const hourly = `with hourly as (
        select timestamp_trunc(timestamp, hour) as h, count(*) as n from edge_logs group by h
      )`;

function hours({
  edge,
}: Pick<Logs, 'edge'>): readonly { readonly h: number; readonly n: number }[] {
  const counted = [...groupBy(edge, ({ at }) => floorTo(at, hour))].map(([h, { length: n }]) => ({
    h,
    n,
  }));
  return sort(
    counted,
    asc(({ h }) => h),
  );
}

const march8 = micros('2026-03-08T00:00:00Z');
const march10 = micros('2026-03-10T00:00:00Z');
const noon = micros('2026-03-10T12:00:00Z');

/** Series over time: gaps filled, running totals, moving averages, changes. */
export const series: readonly Question[] = [
  {
    ask: 'How many server errors were there in each hour of March 8, with zeros for hours without?',
    sql: `with hours as (
        select h from unnest(generate_timestamp_array('2026-03-08 00:00:00', '2026-03-08 23:00:00', interval 1 hour)) as h
      ),
      errors as (
        select timestamp_trunc(t.timestamp, hour) as h, count(*) as n
        from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) r
        where r.status_code >= 500 group by h
      )
      select hours.h, coalesce(errors.n, 0) as n
      from hours left join errors on errors.h = hours.h order by hours.h`,
    answer: ({ edge }) =>
      range(0, 23).map((index) => {
        const h = march8 + index * hour;
        return { h, n: count(edge, ({ at, status }) => status >= 500 && floorTo(at, hour) === h) };
      }),
  },
  {
    ask: 'How many logs does the database write per day over two weeks, most of which have none?',
    sql: `select d, count(l.id) as n
      from unnest(generate_date_array('2026-02-25', '2026-03-10')) as d
      left join db_logs as l on date(l.timestamp) = d
      group by d order by d`,
    answer: ({ db }) =>
      range(micros('2026-02-25T00:00:00Z'), march10, day).map((start) => ({
        d: date(start),
        n: count(db, ({ at }) => floorTo(at, day) === start),
      })),
  },
  {
    ask: 'In which minutes of the last half hour was there no request?',
    sql: `select minute
      from unnest(generate_timestamp_array(
        timestamp_sub(current_timestamp(), interval 30 minute),
        timestamp_sub(current_timestamp(), interval 1 minute), interval 1 minute)) as minute
      where not exists (select 1 from edge_logs e where timestamp_trunc(e.timestamp, minute) = minute)
      order by minute`,
    answer: ({ edge }) => {
      const busy = new Set(edge.map(({ at }) => floorTo(at, minute)));
      return range(noon - 30 * minute, noon - minute, minute)
        .filter((start) => !busy.has(start))
        .map((start) => ({ minute: start }));
    },
  },
  {
    ask: 'What is the running total of requests by day?',
    sql: `select day, n, sum(n) over (order by day) as total
      from (select date(timestamp) as day, count(*) as n from edge_logs group by day) order by day`,
    answer: ({ edge }) => {
      let total = 0;
      return sort(
        [...groupBy(edge, ({ at }) => date(at))],
        asc(([start]) => start),
      ).map(([start, { length: n }]) => {
        total += n;
        return { day: start, n, total };
      });
    },
  },
  {
    ask: 'What is the moving average of requests over six hours, for the last day?',
    sql: `${hourly}, smooth as (
        select h, n, avg(n) over (order by h rows between 5 preceding and current row) as average from hourly
      )
      select * from smooth where h >= '2026-03-09T12:00:00Z' order by h`,
    answer: (logs) =>
      hours(logs)
        .map(({ h, n }, index, all) => ({
          h,
          n,
          average: mean(all.slice(Math.max(0, index - 5), index + 1).map((one) => one.n)),
        }))
        .filter(({ h }) => h >= noon - day),
  },
  {
    ask: 'And by time instead of rows: the sum over the last three hours, in which some have no request?',
    sql: `${hourly}
      select h, sum(n) over (order by unix_seconds(h) range between 7200 preceding and current row) as n
      from hourly order by h limit 40`,
    answer: (logs) =>
      hours(logs)
        .map(({ h }, _, all) => ({
          h,
          n: sum(all.filter((one) => one.h <= h && one.h >= h - 2 * hour).map(({ n }) => n)),
        }))
        .slice(0, 40),
  },
  {
    ask: 'By how much did the requests of each day change against the day before, in percent?',
    sql: `with daily as (select date(timestamp) as d, count(*) as n from edge_logs group by d)
      select d, n, lag(n) over w as before, round((n - lag(n) over w) / lag(n) over w * 100, 1) as change
      from daily window w as (order by d) order by d`,
    answer: ({ edge }) => {
      const daily = sort(
        [...groupBy(edge, ({ at }) => date(at))],
        asc(([d]) => d),
      );
      return daily.map(([d, { length: n }], index) => {
        const before = daily[index - 1]?.[1].length ?? null;
        return {
          d,
          n,
          before,
          change: before === null ? null : round(((n - before) / before) * 100, 1),
        };
      });
    },
  },
  {
    ask: 'How many requests had the same hour a week earlier?',
    sql: `${hourly}
      select a.h, a.n, ifnull(b.n, 0) as a_week_earlier
      from hourly a left join hourly b on b.h = timestamp_sub(a.h, interval 7 day)
      where a.h >= timestamp('2026-03-10') order by a.h`,
    answer: (logs) => {
      const all = new Map(hours(logs).map(({ h, n }) => [h, n]));
      return hours(logs)
        .filter(({ h }) => h >= march10)
        .map(({ h, n }) => ({ h, n, a_week_earlier: all.get(h - 7 * day) ?? 0 }));
    },
  },
  {
    ask: 'Which hour was the busiest of each day?',
    sql: `${hourly}
      select date(h) as d, format_timestamp('%H:%M', h) as busiest, n
      from hourly where true
      qualify rank() over (partition by date(h) order by n desc, h) = 1
      order by d`,
    answer: (logs) =>
      [...groupBy(hours(logs), ({ h }) => date(h))].map(([d, items]) => {
        const { h, n } = first(
          sort(
            items,
            desc((one) => one.n),
          ),
        );
        return { d, busiest: iso(h).slice(11, 16), n };
      }),
  },
  {
    ask: 'Which hours were local peaks, with more requests than both hours around?',
    sql: `${hourly}
      select h, n from (
        select h, n, lag(n, 1, 0) over (order by h) as before, lead(n, 1, 0) over (order by h) as after from hourly
      ) where n > before and n > after order by n desc, h limit 10`,
    answer: (logs) =>
      sort(
        hours(logs).filter(
          ({ n }, index, all) => n > (all[index - 1]?.n ?? 0) && n > (all[index + 1]?.n ?? 0),
        ),
        desc(({ n }) => n),
        asc(({ h }) => h),
      ).slice(0, 10),
  },
  {
    ask: 'What was the longest time without a request, and when did it begin?',
    sql: `select timestamp as since, timestamp_diff(next, timestamp, second) as seconds
      from (select timestamp, lead(timestamp) over (order by timestamp) as next from edge_logs)
      order by timestamp_diff(next, timestamp, microsecond) desc limit 1`,
    answer: ({ edge }) => {
      const times = edge.map(({ at }) => at).sort((a, b) => a - b);
      const gaps = times
        .slice(1)
        .map((at, index) => ({ since: times[index] ?? 0, gap: at - (times[index] ?? 0) }));
      const { since, gap } = first(
        sort(
          gaps,
          desc((one) => one.gap),
        ),
      );
      return [{ since, seconds: Math.floor(gap / 1e6) }];
    },
  },
  {
    ask: 'How do the requests of today compare hour by hour with the average of that hour on the other days?',
    sql: `with counted as (
        select date(timestamp) as d, extract(hour from timestamp) as h, count(*) as n from edge_logs group by d, h
      )
      select t.h, t.n as today, avg(o.n) as usual, t.n > avg(o.n) as is_above
      from counted t join counted o on o.h = t.h and o.d < t.d
      where t.d = current_date() group by t.h, t.n order by t.h`,
    answer: (logs) => {
      const all = hours(logs);
      return all
        .filter(({ h }) => h >= march10)
        .map(({ h, n }) => {
          const others = all.filter((one) => one.h < march10 && one.h % day === h % day);
          const usual = mean(others.map((one) => one.n));
          return { h: (h % day) / hour, today: n, usual, is_above: n > usual };
        });
    },
  },
  {
    ask: 'What were the first and the last status of each hour of today?',
    sql: `select distinct timestamp_trunc(timestamp, hour) as h,
        first_value(r.status_code) over w as opened,
        last_value(r.status_code) over (w rows between unbounded preceding and unbounded following) as closed
      from edge_logs cross join unnest(metadata) as m cross join unnest(m.response) as r
      where timestamp >= '2026-03-10'
      window w as (partition by timestamp_trunc(timestamp, hour) order by timestamp, id)
      order by h`,
    answer: ({ edge }) => {
      const today = sort(
        edge.filter(({ at }) => at >= march10),
        asc(({ at }) => at),
        asc(({ id }) => id),
      );
      return [...groupBy(today, ({ at }) => floorTo(at, hour))].map(([h, items]) => ({
        h,
        opened: first(items).status,
        closed: last(items).status,
      }));
    },
  },
  {
    ask: 'What is the share of each hour in the requests of its day, for the three greatest shares?',
    sql: `${hourly}
      select h, n / sum(n) over (partition by timestamp_trunc(h, day)) as share from hourly order by share desc, h limit 3`,
    answer: (logs) => {
      const days = groupBy(hours(logs), ({ h }) => floorTo(h, day));
      const shares = hours(logs).map(({ h, n }) => ({
        h,
        share: n / sum((days.get(floorTo(h, day)) ?? []).map((one) => one.n)),
      }));
      return sort(
        shares,
        desc(({ share }) => share),
        asc(({ h }) => h),
      ).slice(0, 3);
    },
  },
  {
    ask: 'How many connections did the realtime service have, filled forward for every hour of March 8?',
    sql: `with hours as (
        select h from unnest(generate_timestamp_array('2026-03-08', '2026-03-08 23:00:00+00', interval 1 hour)) h
      ),
      seen as (
        select timestamp_trunc(t.timestamp, hour) as h, max_by(me.connected, t.timestamp) as connected
        from realtime_logs t cross join unnest(t.metadata) m cross join unnest(m.measurements) me group by h
      )
      select hours.h, last_value(seen.connected ignore nulls) over (order by hours.h) as connected
      from hours left join seen using (h) order by h`,
    answer: ({ realtime }) => {
      const today = sort(
        realtime.filter(({ at }) => date(at) === '2026-03-08'),
        asc(({ at }) => at),
      );
      return range(march8, march8 + 23 * hour, hour).map((h) => ({
        h,
        connected: today.filter(({ at }) => at < h + hour).at(-1)?.connected ?? null,
      }));
    },
  },
  {
    ask: 'In which order do the paths reach their tenth request?',
    sql: `select path, ts from (
        select r.path, t.timestamp as ts, row_number() over (partition by r.path order by t.timestamp, t.id) as nr
        from edge_logs t, unnest(t.metadata) m, unnest(m.request) r
      ) where nr = 10 order by ts`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => path)].flatMap(([path, items]) => {
          const tenth = sort(
            items,
            asc(({ at }) => at),
          )[9];
          return tenth === undefined ? [] : [{ path, ts: tenth.at }];
        }),
        asc(({ ts }) => ts),
      ),
  },
  {
    ask: 'How are the hours ranked by requests, with rank, dense rank and percent rank, the top eight?',
    sql: `${hourly}
      select h, n, rank() over (order by n desc) as place, dense_rank() over (order by n desc) as dense,
        percent_rank() over (order by n desc) as share, cume_dist() over (order by n desc) as cume
      from hourly order by n desc, h limit 8`,
    answer: (logs) => {
      const all = hours(logs);
      return sort(
        all,
        desc(({ n }) => n),
        asc(({ h }) => h),
      )
        .slice(0, 8)
        .map(({ h, n }) => {
          const above = all.filter((one) => one.n > n);
          return {
            h,
            n,
            place: above.length + 1,
            dense: new Set(above.map((one) => one.n)).size + 1,
            share: above.length / (all.length - 1),
            cume: count(all, (one) => one.n >= n) / all.length,
          };
        });
    },
  },
  {
    ask: 'Which days of the past week are quieter than the median day, by ISO date and Monday of the week?',
    sql: `with daily as (
        select date(timestamp) as d, count(*) as n from edge_logs group by 1
      ), m as (select distinct percentile_disc(n, 0.5) over () as median from daily)
      select d, date_trunc(d, week(monday)) as week, n, median - n as missing
      from daily, m where n < median order by d`,
    answer: ({ edge }) => {
      const daily = sort(
        [...groupBy(edge, ({ at }) => floorTo(at, day))],
        asc(([start]) => start),
      );
      const sorted = daily.map(([, { length }]) => length).sort((a, b) => a - b);
      const median = sorted[Math.ceil(sorted.length / 2) - 1] ?? 0;
      return daily
        .filter(([, { length: n }]) => n < median)
        .map(([start, { length: n }]) => ({
          d: date(start),
          week: date(startOfWeek(start, 1)),
          n,
          missing: median - n,
        }));
    },
  },
  {
    ask: 'How many requests are there in windows of four hours that begin every four hours?',
    sql: `select timestamp_bucket(timestamp, interval 4 hour) as w, count(*) as n
      from edge_logs group by w order by n desc, w limit 5`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => floorTo(at, 4 * hour))].map(([w, { length: n }]) => ({
          w,
          n,
        })),
        desc(({ n }) => n),
        asc(({ w }) => w),
      ).slice(0, 5),
  },
  {
    ask: 'How many requests are open at once at most, if each takes its origin time up to its record?',
    sql: `with spans as (
        select timestamp_sub(t.timestamp, interval r.origin_time millisecond) as opened, t.timestamp as closed
        from edge_logs t cross join unnest(t.metadata) m cross join unnest(m.response) r
      ), changes as (
        select opened as ts, 1 as change from spans union all select closed, -1 from spans
      )
      select max(open_requests) as most
      from (select sum(change) over (order by ts, change rows unbounded preceding) as open_requests from changes)`,
    answer: ({ edge }) => {
      const opened = edge.map(({ at, ms }) => ({ at: at - ms * 1000, change: 1 }));
      const changes = [...opened, ...edge.map(({ at }) => ({ at, change: -1 }))];
      let open = 0;
      const counts = sort(
        changes,
        asc(({ at }) => at),
        asc(({ change }) => change),
      ).map(({ change }) => (open += change));
      return [{ most: max(counts) }];
    },
  },
  {
    ask: 'What are the least, greatest and total number of requests of an hour, counting the empty hours of March 8 and 9?',
    sql: `${hourly}
      select min(ifnull(n, 0)) as least, max(n) as most, sum(n) as total, count(*) as hours
      from unnest(generate_timestamp_array('2026-03-08', '2026-03-09 23:00:00', interval 60 minute)) as slot
      left join hourly on h = slot`,
    answer: (logs) => {
      const all = new Map(hours(logs).map(({ h, n }) => [h, n]));
      const counts = range(march8, march10 - hour, hour).map((h) => all.get(h) ?? 0);
      return [{ least: min(counts), most: max(counts), total: sum(counts), hours: counts.length }];
    },
  },
];
