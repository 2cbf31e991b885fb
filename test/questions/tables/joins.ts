import {
  asc,
  count,
  desc,
  distinct,
  first,
  groupBy,
  last,
  max,
  mean,
  min,
  present,
  round,
  sort,
  sum,
} from '../lists.js';
import type { Question } from '../question.js';
import { date, floorTo, hour, minute } from '../times.js';

/** Requests, with the id that the authentication service logs, too. */
const requests = `with requests as (
        select t.id, t.timestamp as ts, h.cf_ray, r.path, res.status_code, res.origin_time, cf.country
        from edge_logs as t
        cross join unnest(metadata) as m
        cross join unnest(m.request) as r
        cross join unnest(r.headers) as h
        cross join unnest(r.cf) as cf
        cross join unnest(m.response) as res
      )`;

/** Questions about two sources and more. */
export const joins: readonly Question[] = [
  {
    ask: 'How many requests of the edge have a record of the authentication service of the same request id?',
    sql: `${requests}
      select count(*) as pairs, count(distinct r.cf_ray) as rays
      from requests r join (select m.request_id from auth_logs cross join unnest(metadata) as m) a on a.request_id = r.cf_ray`,
    answer: ({ edge, auth }) => {
      const rays = groupBy(auth, ({ ray }) => ray);
      const matched = edge.filter(({ ray }) => rays.has(ray));
      return [
        {
          pairs: sum(matched.map(({ ray }) => rays.get(ray)?.length ?? 0)),
          rays: distinct(matched.map(({ ray }) => ray)).length,
        },
      ];
    },
  },
  {
    ask: 'How far do the clocks of the edge and of the authentication service differ, in microseconds?',
    sql: `${requests}
      select min(d) as least, max(d) as most from (
        select timestamp_diff(r.ts, a.timestamp, microsecond) as d
        from auth_logs as a, unnest(a.metadata) as m inner join requests as r on r.cf_ray = m.request_id
      )`,
    answer: ({ edge, auth }) => {
      const rays = new Map(edge.map(({ ray, at }) => [ray, at]));
      const gaps = auth.flatMap(({ ray, at }) =>
        present([rays.get(ray)]).map((edgeAt) => edgeAt - at),
      );
      return [{ least: min(gaps), most: max(gaps) }];
    },
  },
  {
    ask: 'Do both report the same status for a request?',
    sql: `${requests}
      select cast(m.status as int64) = r.status_code as agrees, count(*) as n
      from auth_logs cross join unnest(metadata) as m join requests r on r.cf_ray = m.request_id
      group by agrees`,
    anyOrder: true,
    answer: ({ edge, auth }) => {
      const rays = new Map(edge.map(({ ray, status }) => [ray, status]));
      const pairs = auth.filter(({ ray }) => rays.has(ray));
      return [...groupBy(pairs, ({ ray, status }) => Number(status) === rays.get(ray))].map(
        ([agrees, { length: n }]) => ({ agrees, n }),
      );
    },
  },
  {
    ask: 'Which requests to /auth never reached the authentication service, per status?',
    sql: `${requests}
      select r.status_code, count(*) as n from requests r
      where r.path like '/auth/%'
        and r.cf_ray not in (select request_id from auth_logs, unnest(metadata) where request_id is not null)
      group by r.status_code order by 1`,
    answer: ({ edge, auth }) => {
      const rays = new Set(auth.map(({ ray }) => ray));
      const lost = edge.filter(({ path, ray }) => path.startsWith('/auth/') && !rays.has(ray));
      return sort(
        [...groupBy(lost, ({ status }) => status)].map(([status_code, { length: n }]) => ({
          status_code,
          n,
        })),
        asc(({ status_code }) => status_code),
      );
    },
  },
  {
    ask: 'From which countries do failed logins come, and with which messages?',
    sql: `${requests}, failures as (
        select request_id, msg from auth_logs cross join unnest(metadata) as m where safe_cast(m.status as int64) >= 400
      )
      select r.country, f.msg, count(*) as n
      from failures f join requests r on f.request_id = r.cf_ray
      group by country, msg order by n desc, country, msg limit 12`,
    answer: ({ edge, auth }) => {
      const rays = new Map(edge.map(({ ray, country }) => [ray, country]));
      const failures = auth.flatMap(({ ray, msg, status }) => {
        const country = rays.get(ray);
        return country === undefined || Number(status) < 400 ? [] : [{ country, msg }];
      });
      return sort(
        [...groupBy(failures, ({ country, msg }) => `${country}\n${msg}`).values()].map(
          (items) => ({
            ...first(items),
            n: items.length,
          }),
        ),
        desc(({ n }) => n),
        asc(({ country }) => country),
        asc(({ msg }) => msg),
      ).slice(0, 12);
    },
  },
  {
    ask: 'How many lines did each call of a function write, at least, at most and in the mean?',
    sql: `with calls as (select execution_id, function_id from function_edge_logs cross join unnest(metadata) as m),
      written as (select execution_id, count(*) as n from function_logs cross join unnest(metadata) as m group by execution_id)
      select function_id, count(*) as calls, min(ifnull(n, 0)) as least, max(n) as most, avg(coalesce(n, 0)) as average
      from calls left join written using (execution_id)
      group by function_id order by function_id`,
    answer: ({ calls, functions }) => {
      const written = groupBy(functions, ({ execution }) => execution);
      return sort(
        [...groupBy(calls, ({ fn }) => fn)],
        asc(([fn]) => fn),
      ).map(([function_id, items]) => {
        const lines = items.map(({ execution }) => written.get(execution)?.length ?? 0);
        return {
          function_id,
          calls: items.length,
          least: min(lines),
          most: max(lines),
          average: mean(lines),
        };
      });
    },
  },
  {
    ask: 'Which calls of functions failed, and what was the last line each wrote?',
    sql: `with lines as (
        select m.execution_id, t.event_message, t.timestamp
        from function_logs t cross join unnest(t.metadata) as m
        qualify row_number() over (partition by m.execution_id order by t.timestamp desc) = 1
      )
      select c.execution_id, res.status_code, l.event_message as last_line
      from function_edge_logs cross join unnest(metadata) as c cross join unnest(c.response) as res
      left join lines as l on l.execution_id = c.execution_id
      where res.status_code >= 500 order by c.execution_id`,
    answer: ({ calls, functions }) => {
      const written = groupBy(functions, ({ execution }) => execution);
      return sort(
        calls.filter(({ status }) => status >= 500),
        asc(({ execution }) => execution),
      ).map(({ execution, status }) => {
        const lines = sort(
          written.get(execution) ?? [],
          asc(({ at }) => at),
        );
        return { execution_id: execution, status_code: status, last_line: last(lines).message };
      });
    },
  },
  {
    ask: 'Does a call that booted take longer than one that did not, per function?',
    sql: `with boots as (
        select distinct m.execution_id from function_logs, unnest(metadata) as m where event_type = 'Boot'
      )
      select c.function_id, b.execution_id is not null as booted, count(*) as n, avg(c.execution_time_ms) as ms
      from function_edge_logs f
      cross join unnest(f.metadata) as c
      left join boots b on b.execution_id = c.execution_id
      group by 1, 2 order by 1, 2`,
    answer: ({ calls, functions }) => {
      const booted = new Set(
        functions.filter(({ event }) => event === 'Boot').map(({ execution }) => execution),
      );
      const marked = calls.map(({ fn, ms, execution }) => ({
        fn,
        ms,
        booted: booted.has(execution),
      }));
      return sort(
        [...groupBy(marked, (one) => `${one.fn} ${one.booted}`).values()].map((items) => ({
          function_id: first(items).fn,
          booted: first(items).booted,
          n: items.length,
          ms: mean(items.map(({ ms }) => ms)),
        })),
        asc(({ function_id }) => function_id),
        asc((row) => row.booted),
      );
    },
  },
  {
    ask: 'How many records did the edge, the storage and the database write in each hour of March 9?',
    sql: `with all_logs as (
        select 'edge' as source, timestamp from edge_logs
        union all select 'storage', timestamp from storage_logs
        union all select 'db', timestamp from db_logs
      )
      select timestamp_trunc(timestamp, hour) as h, countif(source = 'edge') as edge,
        countif(source = 'storage') as storage, countif(source = 'db') as db
      from all_logs where date(timestamp) = date '2026-03-09' group by h order by h`,
    answer: (logs) => {
      const all = (['edge', 'storage', 'db'] as const).flatMap((source) =>
        logs[source].map(({ at }) => ({ source, at })),
      );
      const hours = groupBy(
        all.filter(({ at }) => date(at) === '2026-03-09'),
        ({ at }) => floorTo(at, hour),
      );
      return sort(
        [...hours],
        asc(([h]) => h),
      ).map(([h, items]) => ({
        h,
        edge: count(items, ({ source }) => source === 'edge'),
        storage: count(items, ({ source }) => source === 'storage'),
        db: count(items, ({ source }) => source === 'db'),
      }));
    },
  },
  {
    ask: 'How many server errors of the edge had an error of the database in the second before?',
    sql: `${requests}
      select count(*) as errors, countif(explained) as explained from (
        select r.id, exists (
          select 1 from db_logs d cross join unnest(d.metadata) m cross join unnest(m.parsed) p
          where p.error_severity = 'ERROR'
            and d.timestamp between timestamp_sub(r.ts, interval 1 second) and r.ts
        ) as explained
        from requests r where r.status_code >= 500
      )`,
    answer: ({ edge, db }) => {
      const errors = edge.filter(({ status }) => status >= 500);
      const causes = db.filter(({ severity }) => severity === 'ERROR').map(({ at }) => at);
      const explained = count(errors, ({ at }) =>
        causes.some((cause) => cause <= at && cause >= at - 1_000_000),
      );
      return [{ errors: errors.length, explained }];
    },
  },
  {
    ask: 'Which addresses use both the storage and the realtime service?',
    sql: `select distinct req.remoteAddress as address
      from storage_logs cross join unnest(metadata) as m cross join unnest(m.req) as req
      intersect distinct
      select regexp_extract(vm.node, r'@(.*)$')
      from realtime_logs cross join unnest(metadata) as m cross join unnest(m.context) as c cross join unnest(c.vm) as vm
      order by address`,
    answer: ({ storage, realtime }) => {
      const nodes = new Set(realtime.map(({ node }) => node?.split('@')[1]));
      return distinct(storage.map(({ ip }) => ip))
        .filter((address) => nodes.has(address))
        .sort()
        .map((address) => ({ address }));
    },
  },
  {
    ask: 'Which users of the edge never signed in within the logs of the authentication service?',
    sql: `select count(*) as users from (
        select sb.auth_user from edge_logs, unnest(metadata) m, unnest(m.request) r, unnest(r.sb) sb where sb.auth_user is not null
        except distinct
        select e.actor_id from auth_logs, unnest(metadata) m, unnest(m.auth_event) e
      )`,
    answer: ({ edge, auth }) => {
      const known = new Set(auth.map(({ actor }) => actor));
      const users = distinct(present(edge.map(({ user }) => user)));
      return [{ users: count(users, (user) => !known.has(user)) }];
    },
  },
  {
    ask: 'How many minutes have requests but no line of the database, the reverse, and both?',
    sql: `with e as (select timestamp_trunc(timestamp, minute) as minute, count(*) as n from edge_logs group by 1),
      d as (select timestamp_trunc(timestamp, minute) as minute, count(*) as n from db_logs group by 1)
      select countif(d.n is null) as only_edge, countif(e.n is null) as only_db, countif(e.n > 0 and d.n > 0) as both_of_them
      from e full outer join d using (minute)`,
    answer: ({ edge, db }) => {
      const e = new Set(edge.map(({ at }) => floorTo(at, minute)));
      const d = new Set(db.map(({ at }) => floorTo(at, minute)));
      const shared = count([...e], (at) => d.has(at));
      return [{ only_edge: e.size - shared, only_db: d.size - shared, both_of_them: shared }];
    },
  },
  {
    ask: 'What is the mean number of connections of the realtime service on each day, and of requests per connection?',
    sql: `with c as (
        select date(t.timestamp) as d, avg(me.connected) as connected
        from realtime_logs t, t.metadata m, m.measurements me group by d
      ), r as (select date(timestamp) as d, count(*) as requests from edge_logs group by d)
      select d, connected, requests / connected as ratio from c join r using (d) order by d`,
    answer: ({ edge, realtime }) => {
      const requestsOf = groupBy(edge, ({ at }) => date(at));
      return sort(
        [...groupBy(realtime, ({ at }) => date(at))],
        asc(([d]) => d),
      ).map(([d, items]) => {
        const connected = mean(items.map((one) => one.connected));
        return { d, connected, ratio: (requestsOf.get(d)?.length ?? 0) / connected };
      });
    },
  },
  {
    ask: 'What was the last line of the database before each of the five latest server errors?',
    sql: `${requests}
      select r.id, max(d.timestamp) as line_at
      from (select * from requests where status_code >= 500 order by ts desc limit 5) r
      left join db_logs d on d.timestamp < r.ts
      group by r.id, r.ts order by r.ts desc`,
    answer: ({ edge, db }) =>
      sort(
        edge.filter(({ status }) => status >= 500),
        desc(({ at }) => at),
      )
        .slice(0, 5)
        .map(({ id, at }) => ({
          id,
          line_at: max(db.filter((line) => line.at < at).map((line) => line.at)),
        })),
  },
  {
    ask: 'Which pairs of requests of the same address were less than five minutes apart?',
    sql: `with r as (
        select t.id, t.timestamp as ts, h.cf_connecting_ip as ip
        from edge_logs t, unnest(t.metadata) m, unnest(m.request) q, unnest(q.headers) h
      )
      select a.ip, count(*) as pairs
      from r a join r b on a.ip = b.ip and a.id != b.id and b.ts >= a.ts
        and timestamp_diff(b.ts, a.ts, minute) < 5
      group by a.ip order by pairs desc, ip limit 10`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ ip }) => ip)].map(([ip, items]) => ({
          ip,
          pairs: sum(
            items.map((a) =>
              count(items, (b) => a !== b && b.at >= a.at && b.at - a.at < 5 * minute),
            ),
          ),
        })),
        desc(({ pairs }) => pairs),
        asc(({ ip }) => ip),
      )
        .filter(({ pairs }) => pairs > 0)
        .slice(0, 10),
  },
  {
    ask: 'What do the requests of each product cost by a price list (rest 1, auth 2, storage 3)?',
    sql: `with prices as (select 'rest' as product, 1 as price union all select 'auth', 2 union all select 'storage', 3)
      select p.product, p.price, count(r.path) as requests, sum(p.price) as cost
      from prices p
      left join (select q.path from edge_logs, unnest(metadata) m, unnest(m.request) q) r
        on starts_with(r.path, concat('/', p.product, '/'))
      group by p.product, p.price order by cost desc`,
    answer: ({ edge }) =>
      sort(
        Object.entries({ rest: 1, auth: 2, storage: 3 }).map(([product, price]) => {
          const n = count(edge, ({ path }) => path.startsWith(`/${product}/`));
          return { product, price, requests: n, cost: n * price };
        }),
        desc(({ cost }) => cost),
      ),
  },
  {
    ask: 'Which actions of users precede a logout on the same day?',
    sql: `with a as (
        select t.timestamp as ts, e.action, e.actor_id
        from auth_logs t cross join unnest(t.metadata) m cross join unnest(m.auth_event) e
      )
      select b.action, count(*) as n
      from a as o join a as b on o.actor_id = b.actor_id and b.ts < o.ts
        and timestamp_trunc(o.ts, day) = timestamp_trunc(b.ts, day)
      where o.action = 'logout' group by b.action order by b.action`,
    answer: ({ auth }) => {
      const before = auth
        .filter(({ action }) => action === 'logout')
        .flatMap((out) =>
          auth.filter(
            ({ actor, at, action }) =>
              action !== null && actor === out.actor && at < out.at && date(at) === date(out.at),
          ),
        );
      return sort(
        [...groupBy(before, ({ action }) => action)].map(([action, { length: n }]) => ({
          action,
          n,
        })),
        asc(({ action }) => action),
      );
    },
  },
  {
    ask: 'How many requests do the edge and the services behind it have, and what is the share of the authentication?',
    sql: `select (select count(*) from edge_logs) as edge,
        (select count(*) from auth_logs) + (select count(*) from storage_logs) + (select count(*) from function_edge_logs) as services,
        round((select count(*) from auth_logs) / (select count(*) from edge_logs), 3) as auth_share`,
    answer: ({ edge, auth, storage, calls }) => [
      {
        edge: edge.length,
        services: auth.length + storage.length + calls.length,
        auth_share: round(auth.length / edge.length, 3),
      },
    ],
  },
  {
    ask: 'Which function calls at the edge gateway match the records of the functions service, by URL and second?',
    sql: `select f.function_id, count(distinct t.id) as gateway, count(distinct c.id) as service
      from edge_logs t
      cross join unnest(t.metadata) as m
      cross join unnest(m.request) as r
      join function_edge_logs c on timestamp_diff(t.timestamp, c.timestamp, microsecond) = 300
      cross join unnest(c.metadata) as f
      cross join unnest(f.request) as fr
      where fr.url = r.url
      group by f.function_id order by 1`,
    answer: ({ edge, calls }) => {
      const pairs = edge.flatMap(({ at, id, path }) =>
        calls
          .filter((call) => call.at === at - 300 && call.path === path)
          .map((call) => ({ gateway: id, service: call.id, fn: call.fn })),
      );
      return sort(
        [...groupBy(pairs, ({ fn }) => fn)],
        asc(([fn]) => fn),
      ).map(([function_id, items]) => ({
        function_id,
        gateway: distinct(items.map(({ gateway }) => gateway)).length,
        service: distinct(items.map(({ service }) => service)).length,
      }));
    },
  },
];
