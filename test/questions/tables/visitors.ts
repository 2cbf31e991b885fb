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
  range,
  round,
  sort,
  sum,
} from '../lists.js';
import type { EdgeLog, Logs } from '../logs.js';
import type { Question } from '../question.js';
import { date, day, floorTo, hour, micros, minute, second } from '../times.js';

/** The requests of signed-in users. */
const events = `with events as (
        select t.timestamp as ts, t.id, sb.auth_user as user_id, r.path, r.method, res.status_code
        from edge_logs as t
        cross join unnest(t.metadata) as m
        cross join unnest(m.request) as r
        cross join unnest(m.response) as res
        cross join unnest(r.sb) as sb
        where sb.auth_user is not null
      )`;

/** The requests of each signed-in user, both in order. */
function users({ edge }: Logs): readonly (readonly [user: string, requests: readonly EdgeLog[]])[] {
  const signedIn = edge.flatMap((one) => (one.user === null ? [] : [{ user: one.user, one }]));
  const grouped = [...groupBy(signedIn, ({ user }) => user)];
  return sort(
    grouped,
    asc(([user]) => user),
  ).map(([user, items]) => {
    const requests = items.map(({ one }) => one);
    return [
      user,
      sort(
        requests,
        asc(({ at }) => at),
        asc(({ id }) => id),
      ),
    ];
  });
}

/** Splits requests in order of time where nothing happened for more than a while. */
function sessions(requests: readonly EdgeLog[], gap: number): readonly (readonly EdgeLog[])[] {
  const all: EdgeLog[][] = [];
  for (const request of requests) {
    const current = all.at(-1);
    const before = current?.at(-1);
    if (current && before && request.at - before.at <= gap) current.push(request);
    else all.push([request]);
  }
  return all;
}

const allSessions = (logs: Logs, gap: number) =>
  users(logs).flatMap(([user, requests]) =>
    sessions(requests, gap).map((session) => ({ user, session })),
  );

/** Users: sessions, funnels, retention, first and last events. */
export const visitors: readonly Question[] = [
  {
    ask: 'How many users were signed in, and how many requests did they send in the mean?',
    sql: `${events}
      select count(distinct user_id) as users, count(*) / count(distinct user_id) as per_user from events`,
    answer: (logs) => {
      const all = users(logs);
      const total = sum(all.map(([, requests]) => requests.length));
      return [{ users: all.length, per_user: total / all.length }];
    },
  },
  {
    ask: 'How many distinct users were there on each day, and pairs of a user and a path?',
    sql: `${events} select date(ts) as d, count(distinct user_id) as users,
        count(distinct concat(user_id, path)) as pairs from events group by d order by d`,
    answer: (logs) =>
      sort(
        [
          ...groupBy(
            logs.edge.filter(({ user }) => user !== null),
            ({ at }) => date(at),
          ),
        ],
        asc(([d]) => d),
      ).map(([d, items]) => ({
        d,
        users: distinct(items.map(({ user }) => user)).length,
        pairs: distinct(items.map(({ user, path }) => `${user}${path}`)).length,
      })),
  },
  {
    ask: 'How many sessions were there if a session ends after 30 quiet minutes?',
    sql: `${events},
      marked as (
        select *, if(timestamp_diff(ts, lag(ts) over (partition by user_id order by ts, id), microsecond) <= 1800000000, 0, 1) as is_new
        from events
      )
      select sum(is_new) as sessions, sum(is_new) / count(distinct user_id) as per_user from marked`,
    answer: (logs) => {
      const all = allSessions(logs, 30 * minute);
      return [{ sessions: all.length, per_user: all.length / users(logs).length }];
    },
  },
  {
    ask: 'What were the ten longest sessions with their start, length in minutes and number of requests?',
    sql: `${events},
      marked as (
        select *, lag(ts) over (partition by user_id order by ts, id) as previous from events
      ),
      numbered as (
        select *, countif(previous is null or ts > timestamp_add(previous, interval 30 minute))
          over (partition by user_id order by ts, id rows unbounded preceding) as session
        from marked
      )
      select user_id, session, min(ts) as started,
        timestamp_diff(max(ts), min(ts), minute) as minutes, count(*) as requests
      from numbered group by user_id, session
      order by requests desc, user_id, session limit 10`,
    answer: (logs) =>
      sort(
        users(logs).flatMap(([user_id, requests]) =>
          sessions(requests, 30 * minute).map((session, index) => ({
            user_id,
            session: index + 1,
            started: first(session).at,
            minutes: Math.floor((last(session).at - first(session).at) / minute),
            requests: session.length,
          })),
        ),
        desc(({ requests }) => requests),
        asc(({ user_id }) => user_id),
        asc(({ session }) => session),
      ).slice(0, 10),
  },
  {
    ask: 'How many sessions (ten minutes) have one, two, three or more requests?',
    sql: `${events},
      s as (
        select user_id, ts, id,
          sum(case when gap is null or gap > 600 * 1000000 then 1 else 0 end)
            over (partition by user_id order by ts, id) as nr
        from (
          select *, unix_micros(ts) - unix_micros(lag(ts) over (partition by user_id order by ts, id)) as gap from events
        )
      )
      select least(n, 3) as size, count(*) as sessions
      from (select count(*) as n from s group by user_id, nr) group by size order by size`,
    answer: (logs) =>
      sort(
        [
          ...groupBy(allSessions(logs, 10 * minute), ({ session }) => Math.min(3, session.length)),
        ].map(([size, { length }]) => ({ size, sessions: length })),
        asc(({ size }) => size),
      ),
  },
  {
    ask: 'On which path do sessions of one hour begin most often, and on which do they end?',
    sql: `${events},
      starts as (
        select *, coalesce(timestamp_diff(ts, lag(ts) over w, microsecond) > 3600 * 1000 * 1000, true) as opens,
          ifnull(timestamp_diff(lead(ts) over w, ts, microsecond) > 3600000000, true) as closes
        from events window w as (partition by user_id order by ts, id)
      )
      select path, countif(opens) as begins, countif(closes) as ends
      from starts group by path having begins + ends > 0 order by begins desc, path`,
    answer: (logs) => {
      const all = allSessions(logs, hour).map(({ session }) => session);
      const paths = distinct(logs.edge.map(({ path }) => path));
      return sort(
        paths.map((path) => ({
          path,
          begins: count(all, (session) => first(session).path === path),
          ends: count(all, (session) => last(session).path === path),
        })),
        desc(({ begins }) => begins),
        asc(({ path }) => path),
      ).filter(({ begins, ends }) => begins + ends > 0);
    },
  },
  {
    ask: 'When did each user come first and last, and what did they ask for then?',
    sql: `${events}
      select user_id, min(ts) as first_at, max(ts) as last_at,
        array_agg(path order by ts, id limit 1)[offset(0)] as first_path,
        array_agg(path order by ts desc, id desc limit 1)[safe_offset(0)] as last_path
      from events group by user_id order by first_at, user_id limit 50`,
    answer: (logs) =>
      sort(
        users(logs).map(([user_id, requests]) => ({
          user_id,
          first_at: first(requests).at,
          last_at: last(requests).at,
          first_path: first(requests).path,
          last_path: last(requests).path,
        })),
        asc(({ first_at }) => first_at),
        asc(({ user_id }) => user_id),
      ).slice(0, 50),
  },
  {
    ask: 'How many users came for the first time on each day?',
    sql: `${events}
      select first_day, count(*) as users
      from (select user_id, date(min(ts)) as first_day from events group by user_id)
      group by first_day order by first_day`,
    answer: (logs) =>
      sort(
        [...groupBy(users(logs), ([, requests]) => date(first(requests).at))].map(
          ([first_day, { length }]) => ({ first_day, users: length }),
        ),
        asc(({ first_day }) => first_day),
      ),
  },
  {
    ask: 'How many users of each first day came back one, two and three days later?',
    sql: `${events},
      days as (select distinct user_id, date(ts) as d from events),
      cohorts as (select user_id, min(d) as cohort from days group by user_id)
      select cohort,
        count(distinct user_id) as size,
        count(distinct if(date_diff(d, cohort, day) = 1, user_id, null)) as day1,
        count(distinct if(date_diff(d, cohort, day) = 2, user_id, null)) as day2,
        count(distinct if(date_diff(d, cohort, day) = 3, user_id, null)) as day3
      from days join cohorts using (user_id)
      group by cohort order by cohort`,
    answer: (logs) => {
      const cohorts = groupBy(users(logs), ([, requests]) => floorTo(first(requests).at, day));
      return sort(
        [...cohorts],
        asc(([start]) => start),
      ).map(([start, members]) => {
        const back = (days: number) =>
          count(members, ([, requests]) =>
            requests.some(({ at }) => floorTo(at, day) === start + days * day),
          );
        return {
          cohort: date(start),
          size: members.length,
          day1: back(1),
          day2: back(2),
          day3: back(3),
        };
      });
    },
  },
  {
    ask: 'What share of the users of one day was there on the next day, too?',
    sql: `${events},
      daily as (select date(ts) as d, user_id from events group by 1, 2)
      select a.d, count(a.user_id) as users, count(b.user_id) as stayed,
        round(count(b.user_id) / count(a.user_id), 3) as retention
      from daily a left join daily b on a.user_id = b.user_id and b.d = date_add(a.d, interval 1 day)
      group by a.d order by a.d`,
    answer: (logs) => {
      const signedIn = logs.edge.filter(({ user }) => user !== null);
      const daily = groupBy(signedIn, ({ at }) => floorTo(at, day));
      return sort(
        [...daily],
        asc(([start]) => start),
      ).map(([start, items]) => {
        const today = distinct(items.map(({ user }) => user));
        const next = new Set((daily.get(start + day) ?? []).map(({ user }) => user));
        const stayed = count(today, (user) => next.has(user));
        const retention = round(stayed / today.length, 3);
        return { d: date(start), users: today.length, stayed, retention };
      });
    },
  },
  {
    ask: 'How many users go from the list of products to the list of orders to placing an order, each at some later time?',
    sql: `${events},
      step1 as (select user_id, min(ts) as t1 from events where path = '/rest/v1/products' and method = 'GET' group by 1),
      step2 as (select e.user_id, min(e.ts) as t2 from events e join step1 s on s.user_id = e.user_id and e.ts > s.t1
        where e.path = '/rest/v1/orders' and e.method = 'GET' group by 1),
      step3 as (select e.user_id, min(e.ts) as t3 from events e join step2 s on s.user_id = e.user_id and e.ts > s.t2
        where e.path = '/rest/v1/orders' and e.method = 'POST' group by 1)
      select count(t1) as products, count(t2) as orders, count(t3) as placed
      from step1 left join step2 using (user_id) left join step3 using (user_id)`,
    answer: (logs) => {
      const reached = users(logs).map(([, requests]) => {
        const after = (at: number, method: string, path: string) =>
          requests.find((one) => one.at > at && one.method === method && one.path === path)?.at;
        const products = after(0, 'GET', '/rest/v1/products');
        const orders = products && after(products, 'GET', '/rest/v1/orders');
        const placed = orders && after(orders, 'POST', '/rest/v1/orders');
        return [products, orders, placed].filter((at) => at !== undefined).length;
      });
      const atLeast = (steps: number) => count(reached, (done) => done >= steps);
      return [{ products: atLeast(1), orders: atLeast(2), placed: atLeast(3) }];
    },
  },
  {
    ask: 'How often does each path follow directly on the list of orders, of the same user?',
    sql: `${events}
      select next, count(*) as n
      from (select path, lead(path) over (partition by user_id order by ts, id) as next from events)
      where path = '/rest/v1/orders' and next is not null
      group by next order by n desc, next`,
    answer: (logs) => {
      const followers = users(logs).flatMap(([, requests]) =>
        requests.slice(1).filter((_, index) => requests[index]?.path === '/rest/v1/orders'),
      );
      return sort(
        [...groupBy(followers, ({ path }) => path)].map(([next, { length: n }]) => ({ next, n })),
        desc(({ n }) => n),
        asc(({ next }) => next),
      );
    },
  },
  {
    ask: 'What are the five most frequent chains of three successive paths?',
    sql: `${events}, chains as (
        select array_to_string([path, lead(path, 1) over w, lead(path, 2) over w], ' > ', '-') as chain,
          lead(path, 2) over w as third
        from events window w as (partition by user_id order by ts, id)
      )
      select chain, count(*) as n from chains where third is not null group by chain order by n desc, chain limit 5`,
    answer: (logs) => {
      const chains = users(logs).flatMap(([, requests]) =>
        requests.slice(2).map((_, index) =>
          requests
            .slice(index, index + 3)
            .map(({ path }) => path)
            .join(' > '),
        ),
      );
      return sort(
        [...groupBy(chains, (chain) => chain)].map(([chain, { length: n }]) => ({ chain, n })),
        desc(({ n }) => n),
        asc(({ chain }) => chain),
      ).slice(0, 5);
    },
  },
  {
    ask: 'Which users were active on at least six of the days?',
    sql: `${events}
      select user_id, count(distinct timestamp_trunc(ts, day)) as days
      from events group by user_id having days >= 6 order by days desc, user_id`,
    answer: (logs) =>
      sort(
        users(logs).map(([user_id, requests]) => ({
          user_id,
          days: distinct(requests.map(({ at }) => floorTo(at, day))).length,
        })),
        desc(({ days }) => days),
        asc(({ user_id }) => user_id),
      ).filter(({ days }) => days >= 6),
  },
  {
    ask: 'What was the longest streak of successive days of each of the ten users with the longest?',
    sql: `${events},
      days as (select distinct user_id, date(ts) as d from events),
      islands as (
        select user_id, d, date_sub(d, interval row_number() over (partition by user_id order by d) day) as island from days
      ),
      streaks as (select user_id, min(d) as since, count(*) as length from islands group by user_id, island)
      select user_id, since, length from streaks
      qualify row_number() over (partition by user_id order by length desc, since) = 1
      order by length desc, user_id limit 10`,
    answer: (logs) =>
      sort(
        users(logs).map(([user_id, requests]) => ({ user_id, ...longestStreak(requests) })),
        desc(({ length }) => length),
        asc(({ user_id }) => user_id),
      ).slice(0, 10),
  },
  {
    ask: 'Which share of all requests of users do the busiest tenth of the users send?',
    sql: `${events},
      ranked as (
        select user_id, count(*) as n, ntile(10) over (order by count(*) desc, user_id) as tenth from events group by user_id
      )
      select tenth, count(*) as users, sum(n) as requests, sum(n) / sum(sum(n)) over () as share
      from ranked group by tenth order by tenth limit 3`,
    answer: (logs) => {
      const counts = sort(
        users(logs).map(([user, { length }]) => ({ user, n: length })),
        desc(({ n }) => n),
        asc(({ user }) => user),
      ).map(({ n }) => n);
      const [size, longer] = [Math.floor(counts.length / 10), counts.length % 10];
      return range(1, 3).map((tenth) => {
        const start = (tenth - 1) * size + Math.min(tenth - 1, longer);
        const members = counts.slice(start, start + size + (tenth <= longer ? 1 : 0));
        return {
          tenth,
          users: members.length,
          requests: sum(members),
          share: sum(members) / sum(counts),
        };
      });
    },
  },
  {
    ask: 'How long does a user wait in the median until the second request?',
    sql: `${events},
      second as (
        select timestamp_diff(nth_value(ts, 2) over w, first_value(ts) over w, second) as wait
        from events
        qualify row_number() over (partition by user_id order by ts, id) = 1
        window w as (partition by user_id order by ts, id rows between unbounded preceding and unbounded following)
      )
      select percentile_cont(wait, 0.5) over () as median, count(wait) over () as users from second limit 1`,
    answer: (logs) => {
      const waits = users(logs)
        .flatMap(([, [one, two]]) => (one && two ? [Math.floor((two.at - one.at) / second)] : []))
        .sort((a, b) => a - b);
      const middle = (waits.length - 1) / 2;
      const median = ((waits[Math.floor(middle)] ?? 0) + (waits[Math.ceil(middle)] ?? 0)) / 2;
      return [{ median, users: waits.length }];
    },
  },
  {
    ask: 'How many users have each client, and from how many addresses do they come?',
    sql: `select h.user_agent, count(distinct sb.auth_user) as users, count(distinct h.cf_connecting_ip) as addresses
      from edge_logs, unnest(metadata) m, unnest(m.request) r, unnest(r.sb) sb, unnest(r.headers) h
      where sb.auth_user is not null
      group by h.user_agent having users > 1 or addresses > 1
      order by users desc, addresses desc, user_agent limit 25`,
    answer: (logs) => {
      const requests = users(logs).flatMap(([, all]) => all);
      return sort(
        [...groupBy(requests, ({ agent }) => agent)].map(([user_agent, items]) => ({
          user_agent,
          users: distinct(items.map(({ user }) => user)).length,
          addresses: distinct(items.map(({ ip }) => ip)).length,
        })),
        desc((row) => row.users),
        desc(({ addresses }) => addresses),
        asc(({ user_agent }) => user_agent),
      )
        .filter((row) => row.users > 1 || row.addresses > 1)
        .slice(0, 25);
    },
  },
  {
    ask: 'How many users signed in per provider, and how often did each sign in at most?',
    sql: `with logins as (
        select tr.provider, e.actor_id, count(*) as n
        from auth_logs
        cross join unnest(metadata) as m
        cross join unnest(m.auth_event) as e
        cross join unnest(e.traits) as tr
        where e.action = 'login' group by 1, 2
      )
      select provider, count(*) as users, max(n) as most, avg(n) as average from logins group by provider order by provider`,
    answer: ({ auth }) => {
      const logins = auth.filter(({ action }) => action === 'login');
      return sort(
        [...groupBy(logins, ({ provider }) => provider)],
        asc(([provider]) => provider),
      ).map(([provider, items]) => {
        const counts = [...groupBy(items, ({ actor }) => actor).values()].map((all) => all.length);
        return { provider, users: counts.length, most: max(counts), average: mean(counts) };
      });
    },
  },
  {
    ask: 'How many users were active in the seven days up to each of the last three days?',
    sql: `${events}
      select d, (select count(distinct e.user_id) from events e
          where date(e.ts) between date_sub(d, interval 6 day) and d) as weekly_users
      from unnest(generate_date_array('2026-03-08', '2026-03-10')) as d order by d`,
    answer: ({ edge }) =>
      ['2026-03-08', '2026-03-09', '2026-03-10'].map((d) => {
        const end = micros(`${d}T00:00:00Z`) + day;
        const active = edge.filter(
          ({ at, user }) => user !== null && at < end && at >= end - 7 * day,
        );
        return { d, weekly_users: distinct(active.map(({ user }) => user)).length };
      }),
  },
];

/** The earliest of the longest runs of successive days with a request. */
function longestStreak(requests: readonly EdgeLog[]) {
  const days = distinct(requests.map(({ at }) => floorTo(at, day)));
  const starts = days.filter((start) => !days.includes(start - day));
  const streaks = starts.map((start) => {
    const end = min(days.filter((one) => one >= start && !days.includes(one + day)));
    return { since: date(start), length: (end - start) / day + 1 };
  });
  return first(
    sort(
      streaks,
      desc(({ length }) => length),
      asc(({ since }) => since),
    ),
  );
}
