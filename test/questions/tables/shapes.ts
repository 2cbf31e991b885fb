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
  mean,
  min,
  round,
  sort,
  sum,
} from '../lists.js';
import type { Question, Row } from '../question.js';
import { date, day, floorTo, hour } from '../times.js';

const from = `from edge_logs as t
      cross join unnest(t.metadata) as m
      cross join unnest(m.request) as request
      cross join unnest(m.response) as response`;

const statusClass = ({ status }: { readonly status: number }) => `${Math.floor(status / 100)}xx`;

/** Pivots, totals, deduplication, samples and other shapes of results. */
export const shapes: readonly Question[] = [
  {
    ask: 'How many requests per method and status class, as a pivot table?',
    sql: `select * from (
        select request.method, concat(substr(cast(response.status_code as string), 1, 1), 'xx') as class ${from}
      )
      pivot (count(*) for class in ('2xx', '3xx', '4xx', '5xx' as failed))
      order by method`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ method }) => method)].map(([method, items]) => {
          const of = (name: string) => count(items, (one) => statusClass(one) === name);
          return {
            method,
            '2xx': of('2xx'),
            '3xx': of('3xx'),
            '4xx': of('4xx'),
            failed: of('5xx'),
          };
        }),
        asc(({ method }) => method),
      ),
  },
  {
    ask: 'How many requests per day and country, as a pivot table with two numbers each?',
    sql: `select * from (
        select date(t.timestamp) as d, cf.country, response.origin_time as ms ${from} cross join unnest(request.cf) as cf
      )
      pivot (count(*) as n, max(ms) as slowest for country in ('DE', 'US'))
      order by d`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => date(at))],
        asc(([d]) => d),
      ).map(([d, items]) => {
        const [de, us] = ['DE', 'US'].map((country) =>
          items.filter((one) => one.country === country).map(({ ms }) => ms),
        );
        return {
          d,
          n_DE: de?.length ?? 0,
          slowest_DE: de?.length ? max(de) : null,
          n_US: us?.length ?? 0,
          slowest_US: us?.length ? max(us) : null,
        };
      }),
  },
  {
    ask: 'How many requests per method and status, with sums per method and in total?',
    sql: `select request.method, response.status_code, count(*) as n
      ${from} group by rollup (request.method, response.status_code)
      order by request.method nulls first, response.status_code nulls first`,
    answer: ({ edge }) => {
      const methods = groupBy(edge, ({ method }) => method);
      const rows: Row[] = [{ method: null, status_code: null, n: edge.length }];
      for (const [method, items] of sort(
        [...methods],
        asc(([name]) => name),
      )) {
        rows.push({ method, status_code: null, n: items.length });
        const statuses = groupBy(items, ({ status }) => status);
        for (const [status, { length: n }] of sort(
          [...statuses],
          asc(([code]) => code),
        )) {
          rows.push({ method, status_code: status, n });
        }
      }
      return rows;
    },
  },
  {
    ask: 'How many requests per continent and, apart from that, per protocol, in one table?',
    sql: `select cf.continent, cf.httpProtocol as protocol, count(*) as n
      ${from} cross join unnest(request.cf) as cf
      group by grouping sets (cf.continent, cf.httpProtocol)
      order by continent, protocol`,
    answer: ({ edge }) => {
      const continents = [...groupBy(edge, ({ continent }) => continent)].map(
        ([continent, { length: n }]) => ({ continent, protocol: null, n }),
      );
      const protocols = [...groupBy(edge, ({ protocol }) => protocol)].map(
        ([protocol, { length: n }]) => ({ continent: null, protocol, n }),
      );
      return [
        ...sort(
          protocols,
          asc(({ protocol }) => protocol),
        ),
        ...sort(
          continents,
          asc(({ continent }) => continent),
        ),
      ];
    },
  },
  {
    ask: 'How many requests per cache status and content type, with every combination of totals?',
    sql: `select ifnull(h.cf_cache_status, if(grouping(h.cf_cache_status) = 1, 'all', 'none')) as cache,
        if(grouping(h.content_type) = 1, 'all', coalesce(h.content_type, 'none')) as type, count(*) as n
      ${from} cross join unnest(response.headers) as h
      group by cube (h.cf_cache_status, h.content_type) order by cache, type`,
    answer: ({ edge }) => {
      const pairs = edge.flatMap(({ cache, type }) =>
        ['all', cache ?? 'none'].flatMap((c) =>
          ['all', type ?? 'none'].map((t) => ({ cache: c, type: t })),
        ),
      );
      return sort(
        groups(pairs, (pair) => pair).map(({ key, items }) => ({ ...key, n: items.length })),
        asc(({ cache }) => cache),
        asc(({ type }) => type),
      );
    },
  },
  {
    ask: 'What are the sums of three numbers of the storage, as rows of name and value?',
    sql: `select name, value
      from (
        select count(*) as requests, sum(m.responseTime) as milliseconds, sum(h.content_length) as bytes
        from storage_logs cross join unnest(metadata) as m cross join unnest(m.res) as r cross join unnest(r.headers) as h
      )
      unpivot (value for name in (requests, milliseconds, bytes)) order by name`,
    answer: ({ storage }) => [
      { name: 'bytes', value: sum(storage.map(({ size }) => size)) },
      { name: 'milliseconds', value: sum(storage.map(({ ms }) => ms)) },
      { name: 'requests', value: storage.length },
    ],
  },
  {
    ask: 'Which of several requests with the same path and status is the newest, keeping one each?',
    sql: `select * except (nr) from (
        select request.path, response.status_code, t.id, row_number() over (partition by request.path, response.status_code order by t.timestamp desc, t.id) as nr ${from}
      ) where nr = 1 order by path, status_code`,
    answer: ({ edge }) =>
      sort(
        groups(edge, ({ path, status }) => ({ path, status_code: status })).map(
          ({ key, items }) => ({
            ...key,
            id: first(
              sort(
                items,
                desc(({ at }) => at),
              ),
            ).id,
          }),
        ),
        asc(({ path }) => path),
        asc(({ status_code }) => status_code),
      ),
  },
  {
    ask: 'How many database messages are repetitions of one before in the same hour?',
    sql: `select countif(nr > 1) as repeated, countif(nr = 1) as kept
      from (select row_number() over (partition by timestamp_trunc(timestamp, hour), event_message order by timestamp) as nr from db_logs)`,
    answer: ({ db }) => {
      const kept = distinct(db.map(({ at, message }) => `${floorTo(at, hour)} ${message}`)).length;
      return [{ repeated: db.length - kept, kept }];
    },
  },
  {
    ask: 'Which messages of the database follow one of the same text immediately?',
    sql: `select event_message, count(*) as n from (
        select event_message, lag(event_message) over (order by timestamp, id) as previous from db_logs
      ) where previous = event_message group by event_message order by n desc, event_message`,
    answer: ({ db }) => {
      const messages = sort(
        db,
        asc(({ at }) => at),
        asc(({ id }) => id),
      ).map(({ message }) => message);
      const repeated = messages.filter((message, index) => message === messages[index - 1]);
      return sort(
        [...groupBy(repeated, (message) => message)].map(([event_message, { length: n }]) => ({
          event_message,
          n,
        })),
        desc(({ n }) => n),
        asc(({ event_message }) => event_message),
      );
    },
  },
  {
    ask: 'Which ids begin with a zero, as a sample of the requests?',
    sql: `select id, request.path ${from} where starts_with(id, '0') and mod(response.status_code, 2) = 0 order by id limit 10 offset 5`,
    answer: ({ edge }) =>
      sort(
        edge.filter(({ id, status }) => id.startsWith('0') && status % 2 === 0),
        asc(({ id }) => id),
      )
        .slice(5, 15)
        .map(({ id, path }) => ({ id, path })),
  },
  {
    ask: 'What is the cheapest sample that is always the same: ids whose first two hex digits are a number below 5?',
    sql: `select count(*) as n, string_agg(substr(id, 1, 8), ',' order by id limit 3) as examples
      from edge_logs where cast(concat('0x', left(id, 2)) as int64) < 5`,
    answer: ({ edge }) => {
      const ids = edge
        .map(({ id }) => id)
        .filter((id) => Number.parseInt(id.slice(0, 2), 16) < 5)
        .sort();
      return [
        {
          n: ids.length,
          examples: ids
            .slice(0, 3)
            .map((id) => id.slice(0, 8))
            .join(','),
        },
      ];
    },
  },
  {
    ask: 'Are there ids that occur more than once, over all sources?',
    sql: `with ids as (
        select id from edge_logs union all select id from auth_logs union all select id from db_logs
        union all select id from storage_logs union all select id from function_logs
      )
      select count(*) as n, count(distinct id) as different, count(*) - count(distinct id) as repeated from ids`,
    answer: ({ edge, auth, db, storage, functions }) => {
      const ids = [edge, auth, db, storage, functions].flatMap((source) =>
        source.map(({ id }) => id),
      );
      const different = distinct(ids).length;
      return [{ n: ids.length, different, repeated: ids.length - different }];
    },
  },
  {
    ask: 'How is the data volume of responses summarised by day in megabytes with two decimals as NUMERIC?',
    sql: `select date(t.timestamp) as d, round(sum(cast(h.content_length as numeric)) / 1000000, 2) as mb
      ${from} cross join unnest(response.headers) as h group by d order by d`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => date(at))],
        asc(([d]) => d),
      ).map(([d, items]) => {
        const bytes = sum(items.map(({ length }) => Number(length ?? 0)));
        return { d, mb: `${Math.round(bytes / 10_000) / 100}` };
      }),
  },
  {
    ask: 'What are the greatest and the least values of several columns of the storage, by one row each?',
    sql: `select 'time' as what, min(m.responseTime) as least, max(m.responseTime) as most from storage_logs, unnest(metadata) m
      union all
      (select 'size', min(h.content_length), max(h.content_length) from storage_logs, unnest(metadata) m, unnest(m.res) r, unnest(r.headers) h)
      order by what desc`,
    answer: ({ storage }) => [
      {
        what: 'time',
        least: min(storage.map(({ ms }) => ms)),
        most: max(storage.map(({ ms }) => ms)),
      },
      {
        what: 'size',
        least: min(storage.map(({ size }) => size)),
        most: max(storage.map(({ size }) => size)),
      },
    ],
  },
  {
    ask: 'Which countries together send 80 % of the requests?',
    sql: `with c as (select cf.country, count(*) as n ${from} cross join unnest(request.cf) as cf group by country),
      r as (select country, n, sum(n) over (order by n desc, country) as running, sum(n) over () as total from c)
      select country, n, round(running / total, 4) as cumulated from r where (running - n) / total < 0.8 order by n desc, country`,
    answer: ({ edge }) => {
      let running = 0;
      return sort(
        [...groupBy(edge, ({ country }) => country)],
        desc(([, { length }]) => length),
        asc(([country]) => country),
      ).flatMap(([country, { length: n }]) => {
        const before = running;
        running += n;
        return before / edge.length < 0.8
          ? [{ country, n, cumulated: round(running / edge.length, 4) }]
          : [];
      });
    },
  },
  {
    ask: 'What share of each country is cached, failed and slow, as three weighted numbers of one row?',
    sql: `select country, count(*) as n,
        avg(if(h.cf_cache_status = 'HIT', 1, 0)) as hits,
        countif(response.status_code >= 400) / count(*) as failures,
        avg(cast(response.origin_time > 500 as int64)) as slow
      ${from} cross join unnest(request.cf) cross join unnest(response.headers) as h
      group by country order by country`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ country }) => country)],
        asc(([country]) => country),
      ).map(([country, items]) => ({
        country,
        n: items.length,
        hits: count(items, ({ cache }) => cache === 'HIT') / items.length,
        failures: count(items, ({ status }) => status >= 400) / items.length,
        slow: count(items, ({ ms }) => ms > 500) / items.length,
      })),
  },
  {
    ask: 'How many levels of each kind do the sources with a level have, by name of the column?',
    sql: `with levels as (
        select 'auth' as source, level from auth_logs cross join unnest(metadata) as m
        union all select 'storage', level from storage_logs cross join unnest(metadata) as m
        union all select 'realtime', level from realtime_logs cross join unnest(metadata) as m
        union all select 'functions', level from function_logs cross join unnest(metadata) as m
      )
      select level, count(*) as n, string_agg(distinct source, '+' order by source) as sources
      from levels group by level order by n desc, level`,
    answer: ({ auth, storage, realtime, functions }) => {
      const all = Object.entries({ auth, storage, realtime, functions }).flatMap(
        ([source, items]) => items.map(({ level }) => ({ source, level })),
      );
      return sort(
        [...groupBy(all, ({ level }) => level)].map(([level, items]) => ({
          level,
          n: items.length,
          sources: distinct(items.map(({ source }) => source))
            .sort()
            .join('+'),
        })),
        desc(({ n }) => n),
        asc(({ level }) => level),
      );
    },
  },
  {
    ask: 'How many requests have an even last hex digit of their id, and how many bits do all their statuses set?',
    sql: `select mod(cast(concat('0x', right(id, 1)) as int64), 2) = 0 as even, count(*) as n, bit_count(bit_or(response.status_code)) as bits
      ${from} group by even order by even`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ id }) => Number.parseInt(id.slice(-1), 16) % 2 === 0)].map(
          ([even, items]) => {
            const bits = items.reduce((all, { status }) => all | status, 0);
            return {
              even,
              n: items.length,
              bits: [...bits.toString(2)].filter((bit) => bit === '1').length,
            };
          },
        ),
        asc((row) => row.even),
      ),
  },
  {
    ask: 'What were the fastest and the slowest path in the mean on each of the last three days?',
    sql: `with daily as (
        select timestamp_trunc(t.timestamp, day) as d, request.path, avg(response.origin_time) as ms ${from} group by d, path
      )
      select d, array_agg(path order by ms, path limit 1)[offset(0)] as best,
        array_agg(path order by ms desc, path limit 1)[offset(0)] as worst, count(*) as paths
      from daily group by d order by d desc limit 3`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => floorTo(at, day))],
        desc(([d]) => d),
      )
        .slice(0, 3)
        .map(([d, items]) => {
          const paths = sort(
            [...groupBy(items, ({ path }) => path)].map(([path, all]) => ({
              path,
              ms: mean(all.map(({ ms }) => ms)),
            })),
            asc(({ ms }) => ms),
            asc(({ path }) => path),
          );
          return { d, best: first(paths).path, worst: last(paths).path, paths: paths.length };
        }),
  },
  {
    ask: 'Is there any request that is a bot by its score but a browser by its agent?',
    sql: `select logical_or(b.score < 30 and h.user_agent like 'Mozilla%') as any_fake,
        logical_and(b.score between 1 and 99) as all_valid,
        countif(not b.verifiedBot and b.score < 30) as unverified
      ${from} cross join unnest(request.cf) as cf cross join unnest(cf.botManagement) as b cross join unnest(request.headers) as h`,
    answer: ({ edge }) => [
      {
        any_fake: edge.some(({ bot, agent }) => bot < 30 && agent.startsWith('Mozilla')),
        all_valid: edge.every(({ bot }) => bot >= 1 && bot <= 99),
        unverified: count(edge, ({ bot, agent }) => bot < 30 && !agent.startsWith('Examplebot')),
      },
    ],
  },
];
