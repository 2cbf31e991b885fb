/**
 * What is asked of an endpoint, and the same as somebody who knows the tables writes it for DuckDB:
 * one column, each row's JSON as text.
 * @typedef {object} Asked
 * @property {string} what
 * @property {string} endpoint
 * @property {Readonly<Record<string, string | null>>} values of the endpoint's parameters
 * @property {string} [sql] a caller's own
 * @property {string} byHand
 */

const start = '2026-03-09T12:00:00.000000+00:00';
const end = '2026-03-10T06:00:00.000000+00:00';
const always = { project: 'bluefin', iso_timestamp_start: null, iso_timestamp_end: null };

const wholeRow = `cast(to_json({id: id, timestamp: epoch_us(timestamp), event_message: event_message,
  metadata: [metadata]}) as varchar)`;

/** A caller's table behind its fence, by hand. @param {string} columns */
function fenced(columns) {
  return `(select ${columns} from logs.edge_logs where project = 'bluefin' limit 9000000000000000000)`;
}

/** @type {readonly Asked[]} */
export const questions = [
  {
    what: 'logs.all',
    endpoint: 'logs.all',
    values: always,
    byHand: `select ${wholeRow} from logs.edge_logs where project = 'bluefin'
      order by timestamp desc limit 100`,
  },
  {
    what: 'logs.all with a window',
    endpoint: 'logs.all',
    values: { ...always, iso_timestamp_start: start, iso_timestamp_end: end },
    byHand: `select ${wholeRow} from logs.edge_logs where project = 'bluefin'
      and timestamp > timestamptz '${start}' and timestamp <= timestamptz '${end}'
      order by timestamp desc limit 100`,
  },
  {
    what: 'usage.api-counts daily',
    endpoint: 'usage.api-counts',
    values: { project: 'bluefin', interval: 'daily' },
    byHand: `with counts as (
        select date_trunc('day', timestamp) as day, ${['rest', 'storage', 'auth', 'realtime']
          .map((area) => `count(*) filter (contains(metadata.request.path, '/${area}')) as ${area}`)
          .join(', ')}
        from logs.edge_logs
        where timestamp >= timestamptz '2026-03-03T12:00:00+00:00'
          and regexp_matches(metadata.request.url, 'bluefin')
        group by day)
      select cast(to_json({timestamp: strftime(day, '%Y-%m-%dT%H:%M:%S'), total_rest_requests: rest,
        total_storage_requests: storage, total_auth_requests: auth,
        total_realtime_requests: realtime}) as varchar) from counts order by day`,
  },
  {
    what: 'a count by status, by sql',
    endpoint: 'logs.all',
    values: always,
    sql: `select r.status_code, count(*) as requests from edge_logs
      cross join unnest(metadata) as m cross join unnest(m.response) as r
      group by status_code order by status_code`,
    byHand: `with counts as (
        select metadata.response.status_code as status_code, count(*) as requests
        from ${fenced('metadata')} group by status_code)
      select cast(to_json({status_code: status_code, requests: requests}) as varchar)
      from counts order by status_code`,
  },
  {
    what: 'newest 100, by sql',
    endpoint: 'logs.all',
    values: always,
    sql: 'select id, timestamp, event_message from edge_logs limit 100',
    byHand: `select cast(to_json({id: id, timestamp: epoch_us(timestamp),
      event_message: event_message}) as varchar)
      from logs.edge_logs where project = 'bluefin' order by timestamp desc limit 100`,
  },
  {
    what: 'paths of a window, by sql',
    endpoint: 'logs.all',
    values: always,
    sql: `select q.path, count(*) as requests from edge_logs as t
      cross join unnest(t.metadata) as m cross join unnest(m.request) as q
      where t.timestamp between '${start}' and '${end}' and q.path like '/rest/%'
      group by q.path order by requests desc, q.path limit 10`,
    byHand: `with counts as (
        select metadata.request.path as path, count(*) as requests
        from (select metadata from logs.edge_logs where project = 'bluefin'
          and timestamp between timestamptz '${start}' and timestamptz '${end}'
          limit 9000000000000000000)
        where metadata.request.path like '/rest/%' group by path)
      select cast(to_json({path: path, requests: requests}) as varchar)
      from counts order by requests desc, path limit 10`,
  },
  {
    what: '1,000 whole rows',
    endpoint: 'logs.all',
    values: always,
    sql: 'select id, timestamp, event_message, metadata from edge_logs order by timestamp desc limit 1000',
    byHand: `select ${wholeRow} from logs.edge_logs where project = 'bluefin'
      order by timestamp desc limit 1000`,
  },
];

const failures = Array.from(
  { length: 112 },
  (_, place) =>
    `countif(r.status_code = ${400 + place} and lower(q.path) like '/rest/v${place}/%') as failures_of_v${place},\n`,
);

/** A caller's query of some 10 KB: many counts, as a dashboard's generator writes them. */
export const longQuery = `select q.method, ${failures.join('  ')}  count(*) as requests
from edge_logs as t
cross join unnest(t.metadata) as m
cross join unnest(m.request) as q
cross join unnest(m.response) as r
group by q.method`;
