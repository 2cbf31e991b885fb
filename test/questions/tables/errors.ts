import {
  asc,
  count,
  desc,
  distinct,
  first,
  groupBy,
  groups,
  last,
  max,
  min,
  sort,
  sum,
} from '../lists.js';
import type { EdgeLog } from '../logs.js';
import type { Question } from '../question.js';
import { date, day, floorTo, hour } from '../times.js';

const from = `from edge_logs
      cross join unnest(metadata) as m
      cross join unnest(m.request) as request
      cross join unnest(m.response) as response`;

const failed = ({ status }: { readonly status: number }) => status >= 500;
const percent = (part: number, whole: number) => (100 * part) / whole;

/** Failures and their rates. */
export const errors: readonly Question[] = [
  {
    ask: 'What percentage of requests failed with a server error?',
    sql: `select 100.0 * countif(response.status_code >= 500) / count(*) as percent ${from}`,
    answer: ({ edge }) => [{ percent: percent(count(edge, failed), edge.length) }],
  },
  {
    ask: 'What is the rate of server errors in a window without requests?',
    sql: `select count(*) as n, safe_divide(countif(response.status_code >= 500), count(*)) as rate
      ${from} where timestamp < '2020-01-01'`,
    answer: () => [{ n: 0, rate: null }],
  },
  {
    ask: 'And as people write it: 100.0 * sum(if(...)) / count(*) over that empty window?',
    sql: `select 100.0 * sum(if(response.status_code >= 500, 1, 0)) / count(*) as rate
      ${from} where timestamp < timestamp('2020-01-01')`,
    answer: () => [{ rate: null }],
  },
  {
    ask: 'What is the daily error rate in percent, to two digits?',
    sql: `SELECT DATE(timestamp) AS day,
        COUNTIF(response.status_code >= 500) AS errors,
        COUNT(*) AS total,
        ROUND(SAFE_DIVIDE(COUNTIF(response.status_code >= 500), COUNT(*)) * 100, 2) AS rate
      ${from} GROUP BY day ORDER BY day`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => date(at))].map(([start, items]) => {
          const errors = count(items, failed);
          const rate = Math.round((errors / items.length) * 10_000) / 100;
          return { day: start, errors, total: items.length, rate };
        }),
        asc((row) => row.day),
      ),
  },
  {
    ask: 'Which paths have an error rate (4xx and 5xx) above 10 % of at least 20 requests?',
    sql: `with by_path as (
        select path, count(*) as total, countif(status_code >= 400) as errors
        ${from} group by path
      )
      select path, total, errors, errors / total as rate
      from by_path where total >= 20 and errors / total > 0.1
      order by rate desc, path`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => path)]
          .map(([path, items]) => {
            const errors = count(items, ({ status }) => status >= 400);
            return { path, total: items.length, errors, rate: errors / items.length };
          })
          .filter(({ total, rate }) => total >= 20 && rate > 0.1),
        desc(({ rate }) => rate),
        asc(({ path }) => path),
      ),
  },
  {
    ask: 'How many errors of each status did each path give, as a table of columns?',
    sql: `select request.path,
        sum(case when status_code = 400 then 1 else 0 end) as s400,
        sum(case when status_code = 401 then 1 else 0 end) as s401,
        sum(case when status_code between 402 and 499 then 1 else 0 end) as other_4xx,
        sum(case when status_code >= 500 then 1 else 0 end) as s5xx
      ${from} where status_code >= 400
      group by request.path order by request.path`,
    answer: ({ edge }) =>
      sort(
        [
          ...groupBy(
            edge.filter(({ status }) => status >= 400),
            ({ path }) => path,
          ),
        ].map(([path, items]) => ({
          path,
          s400: count(items, ({ status }) => status === 400),
          s401: count(items, ({ status }) => status === 401),
          other_4xx: count(items, ({ status }) => status > 401 && status < 500),
          s5xx: count(items, failed),
        })),
        asc(({ path }) => path),
      ),
  },
  {
    ask: 'What was the latest server error of each path?',
    sql: `select request.path, response.status_code, timestamp
      ${from} where response.status_code >= 500
      qualify row_number() over (partition by request.path order by timestamp desc) = 1
      order by path`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge.filter(failed), ({ path }) => path).values()].map((items) => {
          const { path, status, at } = last(
            sort(
              items,
              asc((item) => item.at),
            ),
          );
          return { path, status_code: status, timestamp: at };
        }),
        asc(({ path }) => path),
      ),
  },
  {
    ask: 'How long was it between consecutive server errors, at least, at most and in the mean?',
    sql: `with gaps as (
        select timestamp_diff(timestamp, lag(timestamp) over (order by timestamp), second) as gap
        ${from} where response.status_code >= 500
      )
      select count(gap) as gaps, min(gap) as shortest, max(gap) as longest, avg(gap) as average from gaps`,
    answer: ({ edge }) => {
      const times = sort(
        edge.filter(failed),
        asc(({ at }) => at),
      ).map(({ at }) => at);
      const gaps = times.slice(1).map((at, index) => Math.trunc((at - (times[index] ?? 0)) / 1e6));
      const average = sum(gaps) / gaps.length;
      return [{ gaps: gaps.length, shortest: min(gaps), longest: max(gaps), average }];
    },
  },
  {
    ask: 'Which hours had more than twice the mean number of client errors of an hour?',
    sql: `with hourly as (
        select timestamp_trunc(timestamp, hour) as h, countif(status_code between 400 and 499) as n
        ${from} group by h
      )
      select h, n from hourly where n > 2 * (select avg(n) from hourly) order by n desc, h`,
    answer: ({ edge }) => {
      const hourly = [...groupBy(edge, ({ at }) => floorTo(at, hour))].map(([h, items]) => ({
        h,
        n: count(items, ({ status }) => status >= 400 && status < 500),
      }));
      const average = sum(hourly.map(({ n }) => n)) / hourly.length;
      return sort(
        hourly.filter(({ n }) => n > 2 * average),
        desc(({ n }) => n),
        asc(({ h }) => h),
      );
    },
  },
  {
    ask: 'What are the three most frequent errors of each method?',
    sql: `select method, status_code, n from (
        select request.method, response.status_code, count(*) as n,
          rank() over (partition by request.method order by count(*) desc, response.status_code) as place
        ${from} where response.status_code >= 400
        group by request.method, response.status_code
      ) where place <= 3 order by method, place`,
    answer: ({ edge }) =>
      sort(
        [
          ...groupBy(
            edge.filter(({ status }) => status >= 400),
            ({ method }) => method,
          ),
        ],
        asc(([method]) => method),
      ).flatMap(([method, items]) =>
        sort(
          [...groupBy(items, ({ status }) => status)].map(([status_code, { length: n }]) => ({
            method,
            status_code,
            n,
          })),
          desc(({ n }) => n),
          asc(({ status_code }) => status_code),
        ).slice(0, 3),
      ),
  },
  {
    ask: 'Which lines of the database are more severe than LOG, and how many are there of each?',
    sql: `select p.error_severity, p.sql_state_code, t.event_message, count(*) as n
      from db_logs t, t.metadata m, m.parsed p
      where p.error_severity in ('ERROR', 'FATAL', 'PANIC')
      group by 1, 2, 3 order by n desc, event_message`,
    answer: ({ db }) =>
      sort(
        groups(
          db.filter(({ severity }) => severity !== 'LOG'),
          ({ severity, state, message }) => ({
            error_severity: severity,
            sql_state_code: state,
            event_message: message,
          }),
        ).map(({ key, items }) => ({ ...key, n: items.length })),
        desc(({ n }) => n),
        asc(({ event_message }) => event_message),
      ),
  },
  {
    ask: 'What does each class of SQLSTATE (its first two characters) count, with the codes in it?',
    sql: `select substr(parsed.sql_state_code, 1, 2) as class,
        count(*) as n,
        string_agg(distinct parsed.sql_state_code order by parsed.sql_state_code) as codes
      from db_logs cross join unnest(metadata) as m cross join unnest(m.parsed) as parsed
      where parsed.sql_state_code is not null
      group by class order by class`,
    answer: ({ db }) => {
      const states = db.flatMap(({ state }) => (state === null ? [] : [state]));
      return sort(
        [...groupBy(states, (state) => state.slice(0, 2))].map(([name, items]) => ({
          class: name,
          n: items.length,
          codes: distinct(items).sort().join(','),
        })),
        asc((row) => row.class),
      );
    },
  },
  {
    ask: 'Which errors does the authentication service report, by status and message?',
    sql: `select status, msg, count(*) as n, min(t.timestamp) as first_seen
      from auth_logs as t cross join unnest(metadata) as m
      where level != 'info'
      group by status, msg having n > 0 order by cast(status as int64)`,
    answer: ({ auth }) =>
      sort(
        groups(
          auth.filter(({ level }) => level !== 'info'),
          ({ status, msg }) => ({ status, msg }),
        ).map(({ key, items }) => ({
          ...key,
          n: items.length,
          first_seen: min(items.map(({ at }) => at)),
        })),
        asc(({ status }) => status),
      ),
  },
  {
    ask: 'Which functions crashed how often, and what did the first line of the message say?',
    sql: `select m.function_id, split(event_message, '\\n')[offset(0)] as headline, count(*) as crashes
      from function_logs, unnest(metadata) m
      where m.event_type = 'UncaughtException'
      group by 1, 2 order by crashes desc, 1`,
    answer: ({ functions }) =>
      sort(
        groups(
          functions.filter(({ event }) => event === 'UncaughtException'),
          ({ fn, message }) => ({ function_id: fn, headline: message.split('\n')[0] ?? '' }),
        ).map(({ key, items }) => ({ ...key, crashes: items.length })),
        desc(({ crashes }) => crashes),
        asc(({ function_id }) => function_id),
      ),
  },
  {
    ask: 'What share of the storage requests failed, per level?',
    sql: `select m.level, count(*) as n, round(count(*) / (select count(*) from storage_logs), 4) as share
      from storage_logs cross join unnest(metadata) as m group by m.level order by n desc`,
    answer: ({ storage }) =>
      sort(
        [...groupBy(storage, ({ level }) => level)].map(([level, { length: n }]) => ({
          level,
          n,
          share: Math.round((10_000 * n) / storage.length) / 10_000,
        })),
        desc(({ n }) => n),
      ),
  },
  {
    ask: 'How many days had no server error at all?',
    sql: `select count(*) as days from (
        select date(timestamp) as d ${from} group by d
        having logical_and(response.status_code < 500)
      )`,
    answer: ({ edge }) => [
      {
        days: [...groupBy(edge, ({ at }) => floorTo(at, day)).values()].filter(
          (items) => !items.some(failed),
        ).length,
      },
    ],
  },
  {
    ask: 'Which users saw more than one kind of server error?',
    sql: `select sb.auth_user, array_agg(distinct response.status_code order by response.status_code) as codes
      ${from} cross join unnest(request.sb) as sb
      where response.status_code >= 500 and sb.auth_user is not null
      group by sb.auth_user having count(distinct response.status_code) > 1
      order by auth_user`,
    answer: ({ edge }) => {
      const users = groupBy(edge.filter(failed), ({ user }) => user);
      users.delete(null);
      return sort(
        [...users].map(([user, items]) => ({
          auth_user: user,
          codes: distinct(items.map(({ status }) => status)).sort((a, b) => a - b),
        })),
        asc((row) => row.auth_user),
      ).filter(({ codes }) => codes.length > 1);
    },
  },
  {
    ask: 'What was the longest run of successive requests without any error?',
    sql: `with marked as (
        select timestamp, status_code, countif(status_code >= 400) over (order by timestamp, id) as run
        ${from}
      )
      select count(*) as length, min(timestamp) as started
      from marked where status_code < 400 group by run order by length desc, started limit 1`,
    answer: ({ edge }) => [
      longestRun(
        sort(
          edge,
          asc(({ at }) => at),
          asc(({ id }) => id),
        ),
      ),
    ],
  },
  {
    ask: 'Did the error rate rise or fall from one day to the next?',
    sql: `with daily as (
        select date(timestamp) as d, countif(status_code >= 400) / count(*) as rate ${from} group by d
      )
      select d, case sign(rate - lag(rate) over (order by d)) when 1 then 'rose' when -1 then 'fell' when 0 then 'same' end as trend
      from daily order by d`,
    answer: ({ edge }) => {
      const daily = sort(
        [...groupBy(edge, ({ at }) => date(at))],
        asc(([d]) => d),
      ).map(([d, items]) => ({
        d,
        rate: count(items, ({ status }) => status >= 400) / items.length,
      }));
      return daily.map(({ d, rate }, index) => {
        const before = daily[index - 1];
        if (before === undefined) return { d, trend: null };
        return { d, trend: rate > before.rate ? 'rose' : rate < before.rate ? 'fell' : 'same' };
      });
    },
  },
  {
    ask: 'How many requests came with an invalid token, how many with a valid one, and how was the newest?',
    sql: `select countif(invalid is not null) as refused, countif(invalid is null) as others,
        any_value(invalid having max timestamp) as latest
      ${from}
      cross join unnest(request.sb) as sb cross join unnest(sb.jwt) as jwt
      cross join unnest(jwt.authorization) as a`,
    answer: ({ edge }) => {
      const signed = edge.filter(({ invalid, session }) => invalid !== null || session !== null);
      const refused = count(signed, ({ invalid }) => invalid !== null);
      const newest = first(
        sort(
          signed,
          desc(({ at }) => at),
        ),
      );
      return [{ refused, others: signed.length - refused, latest: newest.invalid }];
    },
  },
];

function longestRun(requests: readonly EdgeLog[]) {
  let best = { length: 0, started: 0 };
  let current = best;
  for (const { status, at } of requests) {
    if (status >= 400) current = { length: 0, started: 0 };
    else current = { length: current.length + 1, started: current.started || at };
    if (current.length > best.length) best = current;
  }
  return best;
}
