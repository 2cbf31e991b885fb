import {
  asc,
  count,
  desc,
  distinct,
  groupBy,
  max,
  min,
  present,
  range,
  sort,
  sum,
} from '../lists.js';
import type { Question } from '../question.js';
import {
  date,
  day,
  floorTo,
  hour,
  hourOfDay,
  iso,
  local,
  micros,
  minute,
  second,
  startOfWeek,
  time,
  weekday,
} from '../times.js';

const newYork = 'America/New_York';
const berlin = 'Europe/Berlin';
const noon = micros('2026-03-10T12:00:00Z');

/** Instants, dates and time zones; the clocks of New York jump on March 8. */
export const clocks: readonly Question[] = [
  {
    ask: 'How many requests were there per day of New York?',
    sql: `select date(timestamp, 'America/New_York') as d, count(*) as n from edge_logs group by d order by d`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => date(local(at, newYork)))].map(([d, { length: n }]) => ({
          d,
          n,
        })),
        asc(({ d }) => d),
      ),
  },
  {
    ask: 'When did each day of New York begin, as an instant, and how many requests did it have?',
    sql: `select timestamp_trunc(timestamp, day, 'America/New_York') as start, count(*) as n
      from edge_logs group by start order by start`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => startOfDayIn(at, newYork))].map(([start, { length: n }]) => ({
          start,
          n,
        })),
        asc(({ start }) => start),
      ),
  },
  {
    ask: 'How is traffic spread over the hours of the day in Berlin?',
    sql: `select extract(hour from timestamp at time zone 'Europe/Berlin') as h, count(*) as n
      from edge_logs group by h order by h`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => hourOfDay(local(at, berlin)))].map(([h, { length: n }]) => ({
          h,
          n,
        })),
        asc(({ h }) => h),
      ),
  },
  {
    ask: 'How many requests did each hour of New York have on March 8, when the hour from 2 to 3 is missing?',
    sql: `select format_datetime('%H:00', dt) as h, count(*) as n
      from (select datetime(timestamp, 'America/New_York') as dt from edge_logs)
      where extract(date from dt) = '2026-03-08' group by h order by h`,
    answer: ({ edge }) => {
      const shown = edge
        .map(({ at }) => local(at, newYork))
        .filter((at) => date(at) === '2026-03-08');
      return sort(
        [...groupBy(shown, (at) => `${time(at).slice(0, 2)}:00`)].map(([h, { length: n }]) => ({
          h,
          n,
        })),
        asc(({ h }) => h),
      );
    },
  },
  {
    ask: 'At which local hour does each city send the most requests?',
    sql: `with local_hours as (
        select cf.city, extract(hour from t.timestamp at time zone cf.timezone) as h
        from edge_logs as t, unnest(metadata) m, unnest(m.request) r, unnest(r.cf) cf
      )
      select city, h, count(*) as n from local_hours group by city, h
      qualify row_number() over (partition by city order by count(*) desc, h) = 1 order by city`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ city }) => city)],
        asc(([city]) => city),
      ).map(([city, items]) => {
        const hours = groupBy(items, ({ at, timezone }) => hourOfDay(local(at, timezone)));
        const [busiest] = sort(
          [...hours].map(([h, { length: n }]) => ({ h, n })),
          desc(({ n }) => n),
          asc(({ h }) => h),
        );
        return { city, h: busiest?.h ?? 0, n: busiest?.n ?? 0 };
      }),
  },
  {
    ask: 'How many requests came during office hours (Monday to Friday, 9 to 17) in Berlin, and how many outside of them?',
    sql: `select if(extract(dayofweek from dt) between 2 and 6 and time(dt) >= '09:00:00' and time(dt) < time(17, 0, 0), 'office', 'free') as part,
        count(*) as n
      from (select datetime(timestamp, 'Europe/Berlin') as dt from edge_logs) group by part order by part desc`,
    answer: ({ edge }) => {
      const office = count(edge, ({ at }) => {
        const shown = local(at, berlin);
        return (
          [1, 2, 3, 4, 5].includes(weekday(shown)) &&
          time(shown) >= '09:00:00' &&
          time(shown) < '17:00:00'
        );
      });
      return [
        { part: 'office', n: office },
        { part: 'free', n: edge.length - office },
      ];
    },
  },
  {
    ask: 'How do the three newest requests look as texts in several formats?',
    sql: `select format_timestamp('%Y-%m-%dT%H:%M:%E3SZ', timestamp) as millis,
        format_timestamp('%d/%b/%Y:%T %z', timestamp, 'Asia/Kolkata') as apache,
        format_timestamp('%j %U %u', timestamp) as numbers,
        cast(timestamp as string) as text
      from edge_logs order by timestamp desc limit 3`,
    answer: ({ edge }) =>
      sort(
        edge,
        desc(({ at }) => at),
      )
        .slice(0, 3)
        .map(({ at }) => {
          const india = at + 5.5 * hour;
          const dayOfYear = (floorTo(at, day) - micros('2026-01-01T00:00:00Z')) / day + 1;
          const sundays = Math.floor((dayOfYear - 1 + 7 - weekday(at)) / 7);
          const fraction = `${at % second}`.padStart(6, '0').replace(/0+$/, '');
          return {
            millis: iso(at),
            apache: `${date(india).slice(8)}/Mar/2026:${time(india)} +0530`,
            numbers: `${`${dayOfYear}`.padStart(3, '0')} ${`${sundays}`.padStart(2, '0')} ${weekday(at) || 7}`,
            text: `${date(at)} ${time(at)}${fraction && `.${fraction}`}+00`,
          };
        }),
  },
  {
    ask: 'How old is the newest record of each source at noon of March 10, in seconds and whole minutes?',
    sql: `select source, timestamp_diff(current_timestamp(), newest, second) as seconds,
        timestamp_diff(timestamp '2026-03-10 12:00:00 UTC', newest, minute) as minutes
      from (
        select 'edge' as source, max(timestamp) as newest from edge_logs
        union all select 'db', max(timestamp) from db_logs
        union all select 'auth', max(timestamp) from auth_logs
      ) order by seconds, source`,
    answer: (logs) =>
      sort(
        (['edge', 'db', 'auth'] as const).map((source) => {
          const age = noon - max(logs[source].map(({ at }) => at));
          return { source, seconds: Math.floor(age / second), minutes: Math.floor(age / minute) };
        }),
        asc(({ seconds }) => seconds),
        asc(({ source }) => source),
      ),
  },
  {
    ask: 'Does the text of the time in the database log agree with the timestamp of the record?',
    sql: `select count(*) as n,
        countif(parse_timestamp('%Y-%m-%d %H:%M:%E3S %Z', p.timestamp) = timestamp_trunc(t.timestamp, millisecond)) as agree
      from db_logs as t cross join unnest(t.metadata) as m cross join unnest(m.parsed) as p`,
    answer: ({ db }) => [{ n: db.length, agree: db.length }],
  },
  {
    ask: 'How many seconds are between the date header of a response and its record?',
    sql: `select timestamp_diff(t.timestamp, timestamp(h.date), second) as lag_seconds, count(*) as n
      from edge_logs t, unnest(t.metadata) m, unnest(m.response) r, unnest(r.headers) h
      group by 1 order by 1`,
    answer: ({ edge }) => [{ lag_seconds: 0, n: edge.length }],
  },
  {
    ask: 'When do the keys expire: on which days, and how many requests use such a key?',
    sql: `select date(timestamp_seconds(p.expires_at)) as expires, count(*) as n
      from edge_logs
      cross join unnest(metadata) as m cross join unnest(m.request) as r cross join unnest(r.sb) as sb
      cross join unnest(sb.jwt) as jwt cross join unnest(jwt.apikey) as k cross join unnest(k.payload) as p
      group by expires order by expires`,
    answer: ({ edge }) =>
      sort(
        [
          ...groupBy(present(edge.map(({ keyExpires }) => keyExpires)), (at) => date(at * second)),
        ].map(([expires, { length: n }]) => ({ expires, n })),
        asc(({ expires }) => expires),
      ),
  },
  {
    ask: 'How many whole hours is each key still valid at its request, at least and at most, and in days?',
    sql: `select min(hours) as least, max(hours) as most, max(div(hours, 24)) as days
      from (
        select timestamp_diff(timestamp_seconds(p.expires_at), t.timestamp, hour) as hours
        from edge_logs t, t.metadata m, m.request r, r.sb sb, sb.jwt j, j.apikey k, k.payload p
      )`,
    answer: ({ edge }) => {
      const hours = edge.flatMap(({ at, keyExpires }) =>
        keyExpires === null ? [] : [Math.trunc((keyExpires * second - at) / hour)],
      );
      return [{ least: min(hours), most: max(hours), days: Math.floor(max(hours) / 24) }];
    },
  },
  {
    ask: 'How many requests were there in the weeks that begin on Wednesday, and how many weeks ago is each?',
    sql: `select date_trunc(d, week(wednesday)) as week, date_diff(date '2026-03-10', d, week(wednesday)) as ago, count(*) as n
      from (select date(timestamp) as d from edge_logs) group by week, ago order by week`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => startOfWeek(at, 3))].map(([start, { length: n }]) => ({
          week: date(start),
          ago: (startOfWeek(noon, 3) - start) / (7 * day),
          n,
        })),
        asc(({ week }) => week),
      ),
  },
  {
    ask: 'How many days, weeks and boundaries of weeks and months are between the first and the last request?',
    sql: `select date_diff(b, a, day) as days, date_diff(b, a, week) as weeks, date_diff(b, a, isoweek) as iso_weeks,
        date_diff(b, a, month) as months, last_day(a) as month_end, date_add(b, interval 1 month) as later
      from (select min(date(timestamp)) as a, max(date(timestamp)) as b from edge_logs)`,
    answer: ({ edge }) => {
      const [a, b] = [min(edge.map(({ at }) => at)), max(edge.map(({ at }) => at))];
      return [
        {
          days: (floorTo(b, day) - floorTo(a, day)) / day,
          weeks: (startOfWeek(b) - startOfWeek(a)) / (7 * day),
          iso_weeks: (startOfWeek(b, 1) - startOfWeek(a, 1)) / (7 * day),
          months: 0,
          month_end: '2026-03-31',
          later: date(b).replace('-03-', '-04-'),
        },
      ];
    },
  },
  {
    ask: 'How many requests came in each quarter of an hour of the last two hours, with the label as a local time of Kolkata?',
    sql: `select format_timestamp('%I:%M %p', q, 'Asia/Kolkata') as label, count(*) as n
      from (
        select timestamp_millis(cast(floor(unix_millis(timestamp) / 900000) as int64) * 900000) as q
        from edge_logs where timestamp > current_timestamp() - interval 2 hour
      ) group by q order by q`,
    answer: ({ edge }) => {
      const recent = edge.filter(({ at }) => at > noon - 2 * hour);
      return sort(
        [...groupBy(recent, ({ at }) => floorTo(at, 15 * minute))],
        asc(([q]) => q),
      ).map(([q, { length: n }]) => {
        const shown = q + 5.5 * hour;
        const hours = hourOfDay(shown);
        const label = `${`${hours % 12 || 12}`.padStart(2, '0')}:${time(shown).slice(3, 5)} ${hours < 12 ? 'AM' : 'PM'}`;
        return { label, n };
      });
    },
  },
  {
    ask: 'How many requests fell between 23:00 and 01:00 of New York, by the date on which the night began?',
    sql: `select date_sub(date(timestamp_add(timestamp, interval 1 hour), 'America/New_York'), interval 1 day) as night, count(*) as n
      from edge_logs
      where extract(hour from timestamp at time zone 'America/New_York') in (23, 0)
      group by 1 order by 1`,
    answer: ({ edge }) => {
      const nights = edge.filter(({ at }) => [23, 0].includes(hourOfDay(local(at, newYork))));
      return sort(
        [...groupBy(nights, ({ at }) => date(local(at + hour, newYork) - day))].map(
          ([night, { length: n }]) => ({ night, n }),
        ),
        asc(({ night }) => night),
      );
    },
  },
  {
    ask: 'Which offset from UTC does each time zone of the clients have on March 7 and on March 9?',
    sql: `select distinct cf.timezone,
        format_timestamp('%Ez', timestamp '2026-03-07 12:00:00Z', cf.timezone) as march_7,
        format_timestamp('%Ez', timestamp '2026-03-09 12:00:00Z', cf.timezone) as march_9
      from edge_logs, unnest(metadata) m, unnest(m.request) r, unnest(r.cf) cf order by timezone`,
    answer: ({ edge }) =>
      distinct(edge.map(({ timezone }) => timezone))
        .sort()
        .map((timezone) => {
          const offset = (at: number) => {
            const minutes = (local(at, timezone) - at) / minute;
            const size = Math.abs(minutes);
            const parts = [Math.floor(size / 60), size % 60].map((part) =>
              `${part}`.padStart(2, '0'),
            );
            return `${minutes < 0 ? '-' : '+'}${parts.join(':')}`;
          };
          const shown = (text: string) => offset(micros(text));
          return {
            timezone,
            march_7: shown('2026-03-07T12:00:00Z'),
            march_9: shown('2026-03-09T12:00:00Z'),
          };
        }),
  },
  {
    ask: 'When does the time of day of a request lie in the mean, as a time, per day?',
    sql: `select date(timestamp) as d,
        time_add(time '00:00:00', interval cast(floor(avg(time_diff(time(timestamp), '00:00:00', second))) as int64) second) as mean_time
      from edge_logs group by d order by d`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ at }) => date(at))],
        asc(([d]) => d),
      ).map(([d, items]) => {
        const seconds = sum(items.map(({ at }) => Math.floor((at % day) / second)));
        return { d, mean_time: time(Math.floor(seconds / items.length) * second) };
      }),
  },
  {
    ask: 'How many requests came in each hour of the 9th, given that a chart labels hours as DATETIME of UTC?',
    sql: `select datetime_trunc(datetime(timestamp), hour) as label, count(*) as n
      from edge_logs
      where datetime(timestamp) between datetime '2026-03-09 00:00:00' and datetime(2026, 3, 9, 23, 59, 59)
      group by label order by label`,
    answer: ({ edge }) => {
      const end = micros('2026-03-09T23:59:59Z');
      const day9 = edge.filter(({ at }) => date(at) === '2026-03-09' && at <= end);
      return sort(
        [...groupBy(day9, ({ at }) => iso(floorTo(at, hour)).slice(0, 19))].map(
          ([label, { length: n }]) => ({ label, n }),
        ),
        asc(({ label }) => label),
      );
    },
  },
  {
    ask: 'Which dates of the past ten days are weekends, and how many requests did they have?',
    sql: `select d, format_date('%a', d) as name, (select count(*) from edge_logs where date(timestamp) = d) as n
      from unnest(generate_date_array(date_sub(current_date('UTC'), interval 9 day), current_date())) as d
      where extract(dayofweek from d) in (1, 7) order by d`,
    answer: ({ edge }) =>
      range(floorTo(noon, day) - 9 * day, noon, day)
        .filter((start) => [0, 6].includes(weekday(start)))
        .map((start) => ({
          d: date(start),
          name: weekday(start) === 0 ? 'Sun' : 'Sat',
          n: count(edge, ({ at }) => floorTo(at, day) === start),
        })),
  },
];

/** The instant at which the day of an instant began in a time zone. */
function startOfDayIn(at: number, timeZone: string): number {
  const today = date(local(at, timeZone));
  const candidates = range(floorTo(at, hour) - 26 * hour, at, hour);
  return candidates.find((start) => date(local(start, timeZone)) === today) ?? at;
}
