import { asc, count, desc, distinct, first, groupBy, present, range, sort, sum } from '../lists.js';
import type { Question, Value } from '../question.js';
import { date } from '../times.js';

const requests = `from edge_logs as t
      cross join unnest(t.metadata) as m
      cross join unnest(m.request) as request
      cross join unnest(m.response) as response`;

const parsed = (text: string): { readonly [key: string]: Value } => JSON.parse(text);

/** JSON, arrays and structs. */
export const structures: readonly Question[] = [
  {
    ask: 'Which levels and statuses are in the JSON of the authentication messages?',
    sql: `select json_value(event_message, '$.level') as level, json_value(event_message, '$.status') as status, count(*) as n
      from auth_logs group by level, status order by status`,
    answer: ({ auth }) =>
      sort(
        [...groupBy(auth, ({ status }) => status)].map(([status, items]) => ({
          level: first(items).level,
          status,
          n: items.length,
        })),
        asc(({ status }) => status),
      ),
  },
  {
    ask: 'Who signed in how often, by fields of a record inside of that JSON?',
    sql: `select json_extract_scalar(event_message, '$.auth_event.traits.user_email') as email,
        count(*) as n
      from auth_logs where json_value(event_message, '$.auth_event.action') = 'login'
      group by email order by n desc, email limit 5`,
    answer: ({ auth }) =>
      sort(
        [
          ...groupBy(
            auth.filter(({ action }) => action === 'login'),
            ({ email }) => email,
          ),
        ].map(([email, { length: n }]) => ({ email, n })),
        desc(({ n }) => n),
        asc(({ email }) => email),
      ).slice(0, 5),
  },
  {
    ask: 'Which storage errors are there, read from a JSON text in a field?',
    sql: `select json_value(e.raw, '$.error') as error, int64(json_query(parse_json(e.raw), '$.missing')) as missing,
        safe_cast(json_value(e.raw, '$.statusCode') as int64) as code, count(*) as n
      from storage_logs cross join unnest(metadata) as m cross join unnest(m.error) as e
      group by all order by n desc, code`,
    answer: ({ storage }) => {
      const errors = present(storage.map(({ rawError }) => rawError));
      return sort(
        [...groupBy(errors, (raw) => raw)].map(([raw, { length: n }]) => ({
          error: parsed(raw)['error'] ?? null,
          missing: null,
          code: Number(parsed(raw)['statusCode']),
          n,
        })),
        desc(({ n }) => n),
        asc(({ code }) => code),
      );
    },
  },
  {
    ask: 'How many messages of each source are JSON objects?',
    sql: `select 'auth' as source, countif(safe.parse_json(event_message) is not null) as json, count(*) as n from auth_logs
      union all select 'rest', countif(safe.parse_json(event_message) is not null), count(*) from rest_logs
      order by 1`,
    answer: ({ auth, rest }) => [
      { source: 'auth', json: auth.length, n: auth.length },
      { source: 'rest', json: 0, n: rest.length },
    ],
  },
  {
    ask: 'What is the total of a number in the JSON: the duration in milliseconds, per path?',
    sql: `select json_value(j.path) as path, sum(int64(j.duration)) as nanoseconds, max(float64(j.duration) / 1e6) as slowest
      from (select parse_json(event_message) as j from auth_logs)
      group by path order by path`,
    answer: ({ auth }) =>
      sort(
        [...groupBy(auth, ({ path }) => path)].map(([path, items]) => ({
          path,
          nanoseconds: sum(items.map(({ duration }) => duration)),
          slowest: Math.max(...items.map(({ duration }) => duration / 1e6)),
        })),
        asc(({ path }) => path),
      ),
  },
  {
    ask: 'Which statuses did each path give, as an array in order?',
    sql: `select request.path, array_agg(distinct response.status_code order by response.status_code) as statuses
      ${requests} group by request.path order by path`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => path)].map(([path, items]) => ({
          path,
          statuses: distinct(items.map(({ status }) => status)).sort((a, b) => a - b),
        })),
        asc(({ path }) => path),
      ),
  },
  {
    ask: 'What are the two newest requests of each method, as an array of records?',
    sql: `select request.method,
        array_agg(struct(t.id, request.path as path, response.status_code as code) order by t.timestamp desc limit 2) as newest
      ${requests} group by method order by method`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ method }) => method)],
        asc(([method]) => method),
      ).map(([method, items]) => ({
        method,
        newest: sort(
          items,
          desc(({ at }) => at),
        )
          .slice(0, 2)
          .map(({ id, path, status }) => ({ id, path, code: status })),
      })),
  },
  {
    ask: 'Which domains do realtime lines belong to, and at which place of their list?',
    sql: `select domain, place, count(*) as n
      from realtime_logs
      cross join unnest(metadata) as m
      cross join unnest(m.context) as c
      cross join unnest(c.domain) as domain with offset as place
      group by domain, place order by place, domain`,
    answer: ({ realtime }) => {
      const places = realtime.flatMap(({ domain }) =>
        domain.map((name, place) => ({ name, place })),
      );
      return sort(
        [...groupBy(places, ({ name, place }) => `${place} ${name}`).values()].map((items) => ({
          domain: first(items).name,
          place: first(items).place,
          n: items.length,
        })),
        asc(({ place }) => place),
        asc(({ domain }) => domain),
      );
    },
  },
  {
    ask: 'How many realtime lines have "phoenix" in their domains, and how many have none?',
    sql: `select countif('phoenix' in unnest(c.domain)) as phoenix, countif(c.line is null) as without,
        max(array_length(c.domain)) as longest
      from realtime_logs cross join unnest(metadata) as m left join unnest(m.context) as c`,
    answer: ({ realtime }) => [
      {
        phoenix: count(realtime, ({ domain }) => domain.includes('phoenix')),
        without: count(realtime, ({ line }) => line === null),
        longest: Math.max(...realtime.map(({ domain }) => domain.length)),
      },
    ],
  },
  {
    ask: 'Which requests carry a session, tested without joining the records?',
    sql: `select countif(exists (
          select 1 from unnest(t.metadata) m, unnest(m.request) r, unnest(r.sb) sb, unnest(sb.jwt) j, unnest(j.authorization) a, unnest(a.payload) p
          where p.session_id is not null
        )) as signed_in, count(*) as total
      from edge_logs t`,
    answer: ({ edge }) => [
      { signed_in: count(edge, ({ session }) => session !== null), total: edge.length },
    ],
  },
  {
    ask: 'What is the status of each of the five oldest requests, by offsets instead of joins?',
    sql: `select id, metadata[offset(0)].response[offset(0)].status_code as status,
        metadata[safe_offset(0)].request[safe_offset(0)].sb[safe_offset(0)].auth_user as user,
        metadata[safe_offset(7)].request[safe_offset(0)].path as nothing
      from edge_logs order by timestamp limit 5`,
    answer: ({ edge }) =>
      sort(
        edge,
        asc(({ at }) => at),
      )
        .slice(0, 5)
        .map(({ id, status, user }) => ({ id, status, user, nothing: null })),
  },
  {
    ask: 'Which country has which cities, as one text per continent?',
    sql: `select continent, string_agg(place, '; ' order by place) as places
      from (
        select distinct cf.continent, format('%s: %s', cf.country, cf.city) as place ${requests} cross join unnest(request.cf) as cf
      ) group by continent order by continent`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ continent }) => continent)].map(([continent, items]) => ({
          continent,
          places: distinct(items.map(({ country, city }) => `${country}: ${city}`))
            .sort()
            .join('; '),
        })),
        asc(({ continent }) => continent),
      ),
  },
  {
    ask: 'How does the newest server error look as one JSON text?',
    sql: `select to_json_string(struct(t.id, request.path, response.status_code as status, date(t.timestamp) as day, [request.method] as methods, cast(null as string) as note)) as j
      ${requests} where response.status_code >= 500 order by t.timestamp desc limit 1`,
    answer: ({ edge }) => {
      const [newest] = sort(
        edge.filter(({ status }) => status >= 500),
        desc(({ at }) => at),
      );
      if (newest === undefined) return [];
      const { id, path, status, at, method } = newest;
      return [
        { j: JSON.stringify({ id, path, status, day: date(at), methods: [method], note: null }) },
      ];
    },
  },
  {
    ask: 'What are the five most frequent paths, counted approximately?',
    sql: `select v.value as path, v.count as n
      from (select approx_top_count(request.path, 5) as top ${requests}) cross join unnest(top) as v
      order by n desc, path`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => path)].map(([path, { length: n }]) => ({ path, n })),
        desc(({ n }) => n),
        asc(({ path }) => path),
      ).slice(0, 5),
  },
  {
    ask: 'How many distinct countries, paths and methods are there, counted approximately?',
    sql: `select approx_count_distinct(cf.country) as countries, approx_count_distinct(request.path) as paths,
        approx_count_distinct(request.method) as methods
      ${requests} cross join unnest(request.cf) as cf`,
    answer: ({ edge }) => [
      {
        countries: distinct(edge.map(({ country }) => country)).length,
        paths: distinct(edge.map(({ path }) => path)).length,
        methods: distinct(edge.map(({ method }) => method)).length,
      },
    ],
  },
  {
    ask: 'Which methods does each product allow, as an array made by a sub-select?',
    sql: `with r as (select distinct split(request.path, '/')[offset(1)] as product, request.method ${requests})
      select p as product, array(select method from r where r.product = p order by method) as methods,
        array_length(array(select method from r where r.product = p)) as n
      from (select distinct product as p from r) order by p`,
    answer: ({ edge }) =>
      sort(
        [...groupBy(edge, ({ path }) => path.split('/')[1] ?? '')].map(([product, items]) => {
          const methods = distinct(items.map(({ method }) => method)).sort();
          return { product, methods, n: methods.length };
        }),
        asc(({ product }) => product),
      ),
  },
  {
    ask: 'What are the keys of the JSON of the authentication messages, with the number of lines that have each?',
    sql: `select key, count(*) as n
      from auth_logs, unnest(json_keys(parse_json(event_message), 1)) as key
      group by key order by n desc, key`,
    answer: ({ auth }) =>
      sort(
        [
          ...groupBy(
            auth.flatMap(({ message }) => Object.keys(parsed(message))),
            (key) => key,
          ),
        ].map(([key, { length: n }]) => ({ key, n })),
        desc(({ n }) => n),
        asc(({ key }) => key),
      ),
  },
  {
    ask: 'How many requests have a status of a given list, with the name that belongs to it?',
    sql: `with names as (
        select * from unnest([struct(200 as code, 'ok' as name), (201, 'created'), (404, 'not found'), (418, 'teapot')])
      )
      select n.code, n.name, (select count(*) ${requests} where response.status_code = n.code) as requests
      from names as n order by code`,
    answer: ({ edge }) =>
      Object.entries({ 200: 'ok', 201: 'created', 404: 'not found', 418: 'teapot' }).map(
        ([code, name]) => ({
          code: Number(code),
          name,
          requests: count(edge, ({ status }) => status === Number(code)),
        }),
      ),
  },
  {
    ask: 'Which columns does a request have that are not NULL, of search, user, client info and cache status?',
    sql: `select name, countif(value is not null) as present
      from (
        select [struct('search' as name, request.search as value), ('user', sb.auth_user), ('info', h.x_client_info), ('cache', rh.cf_cache_status)] as fields
        ${requests}
        left join unnest(request.sb) as sb
        left join unnest(request.headers) as h
        left join unnest(response.headers) as rh
      ), unnest(fields)
      group by name order by name`,
    answer: ({ edge }) =>
      Object.entries({
        cache: edge.map(({ cache }) => cache),
        info: edge.map(({ clientInfo }) => clientInfo),
        search: edge.map(({ search }) => search),
        user: edge.map(({ user }) => user),
      }).map(([name, values]) => ({ name, present: present(values).length })),
  },
  {
    ask: 'What are the first and last three lines of a database process chain, flattened from arrays of both?',
    sql: `with ends as (
        select array_agg(p.process_id order by t.timestamp limit 3) as oldest, array_agg(p.process_id order by t.timestamp desc limit 3) as newest
        from db_logs t, t.metadata m, m.parsed p
      )
      select place, process_id from ends, unnest(array_concat(oldest, array_reverse(newest))) as process_id with offset place
      order by place`,
    answer: ({ db }) => {
      const processes = sort(
        db,
        asc(({ at }) => at),
      ).map(({ process }) => process);
      const ends = [...processes.slice(0, 3), ...processes.slice(-3)];
      return range(0, 5).map((place) => ({ place, process_id: ends[place] ?? null }));
    },
  },
];
