import { projectName } from '../fixtures/built.mjs';

/**
 * A request to an endpoint, with the same query as an expert would write it for DuckDB and for
 * PostgreSQL: one column, the JSON text of each row. If the service has the wall, the hand-written
 * statement has a LIMIT, which keeps most of the caller's conditions from other projects' rows.
 * @typedef {object} Query
 * @property {string} what
 * @property {string} endpoint
 * @property {Readonly<Record<string, string | null>>} values of the endpoint's parameters
 * @property {string} [sql] a sandbox query
 * @property {boolean} [isNewest] whether it asks for the newest records of a project, which takes the time of an index at any size
 * @property {string} byHand
 * @property {string} postgres over a table `edge_logs (project text, timestamp timestamptz, log jsonb)`
 */

/** The number of projects in the generated logs. */
export const projectCount = 200;

const start = '2026-03-09T12:00:00.000000+00:00';
const end = '2026-03-10T06:00:00.000000+00:00';

/** @param {string} project */
function projectValues(project) {
  return { project, iso_timestamp_start: null, iso_timestamp_end: null };
}

const bluefin = projectValues('bluefin');
const smallest = projectName(projectCount - 1);

/** The metadata with each repeated record as an array of one element, as the service returns it. */
const log = `list_transform([metadata], lambda m: struct_update(m,
  logflare_worker := [m.logflare_worker],
  request := list_transform([m.request], lambda r: struct_update(r,
    cf := list_transform([r.cf], lambda c: struct_update(c, botManagement := [c.botManagement])),
    headers := [r.headers],
    sb := case when r.sb is not null then list_transform([r.sb], lambda s: struct_update(s,
      jwt := list_transform([s.jwt], lambda j: struct_update(j,
        apikey := list_transform([j.apikey], lambda k: struct_update(k, payload := [k.payload])),
        "authorization" := case when j."authorization" is not null
          then list_transform([j."authorization"], lambda a: struct_update(a,
            payload := case when a.payload is not null then [a.payload] end)) end)))) end)),
  response := list_transform([m.response], lambda p: struct_update(p, headers := [p.headers]))))`;

const wholeRow = `cast(to_json({id: id, timestamp: epoch_us(timestamp), event_message: event_message,
  metadata: ${log}}) as varchar)`;

/** The rows of the project, behind a LIMIT that removes none. @param {string} columns */
function limited(columns) {
  return `(select ${columns} from logs.edge_logs where project = 'bluefin' limit 9000000000000000000)`;
}

/** @param {string} project @param {number} [rows] */
function newest(project, rows = 100) {
  return {
    byHand: `select ${wholeRow} from logs.edge_logs where project = '${project}'
      order by timestamp desc limit ${rows}`,
    postgres: `select log from edge_logs where project = '${project}'
      order by timestamp desc limit ${rows}`,
  };
}

const areas = ['rest', 'storage', 'auth', 'realtime'];

/** @param {'day' | 'minute'} bucket @param {string} since */
function counts(bucket, since) {
  const counted = areas
    .map((area) => `count(*) filter (where contains(metadata.request.path, '/${area}')) as ${area}`)
    .join(', ');
  const listed = areas.map((area) => `total_${area}_requests: ${area}`).join(', ');
  const inJsonb = areas
    .map(
      (area) =>
        `count(*) filter (where log #>> '{metadata,request,path}' like '%/${area}%') as ${area}`,
    )
    .join(', ');
  return {
    byHand: `with counts as (
        select date_trunc('${bucket}', timestamp) as start, ${counted}
        from logs.edge_logs
        where timestamp >= timestamptz '${since}' and contains(metadata.request.url, 'bluefin')
        group by start)
      select cast(to_json({timestamp: strftime(start, '%Y-%m-%dT%H:%M:%S'), ${listed}}) as varchar)
      from counts order by start`,
    postgres: `select row_to_json(counts) from (
        select date_trunc('${bucket}', timestamp) as start, ${inJsonb}
        from edge_logs
        where timestamp >= '${since}' and log #>> '{metadata,request,url}' ~ 'bluefin'
        group by start order by start) as counts`,
  };
}

/** The query whose answer has no rows. @type {Query} */
export const empty = {
  what: 'an absent project',
  endpoint: 'logs.all',
  values: projectValues('nobody'),
  ...newest('nobody'),
};

/** @type {readonly Query[]} */
export const queries = [
  {
    what: 'newest 100 of a project',
    endpoint: 'logs.all',
    values: bluefin,
    isNewest: true,
    ...newest('bluefin'),
  },
  {
    what: 'newest 100 of a past window',
    endpoint: 'logs.all',
    values: { ...bluefin, iso_timestamp_start: start, iso_timestamp_end: end },
    byHand: `select ${wholeRow} from logs.edge_logs where project = 'bluefin'
      and timestamp > timestamptz '${start}' and timestamp <= timestamptz '${end}'
      order by timestamp desc limit 100`,
    postgres: `select log from edge_logs where project = 'bluefin'
      and timestamp > '${start}' and timestamp <= '${end}' order by timestamp desc limit 100`,
  },
  {
    what: 'newest 100 of the smallest project',
    endpoint: 'logs.all',
    values: projectValues(smallest),
    isNewest: true,
    ...newest(smallest),
  },
  empty,
  {
    what: 'request counts, 7 days by day',
    endpoint: 'usage.api-counts',
    values: { project: 'bluefin', interval: 'daily' },
    ...counts('day', '2026-03-03T12:00:00+00:00'),
  },
  {
    what: 'request counts, 60 minutes by minute',
    endpoint: 'usage.api-counts',
    values: { project: 'bluefin', interval: 'minutely' },
    ...counts('minute', '2026-03-10T11:00:00+00:00'),
  },
  {
    what: 'a count by status, by sql',
    endpoint: 'logs.all',
    values: bluefin,
    sql: `select r.status_code, count(*) as requests from edge_logs
      cross join unnest(metadata) as m cross join unnest(m.response) as r
      group by status_code order by status_code`,
    byHand: `with counts as (
        select metadata.response.status_code as status_code, count(*) as requests
        from ${limited('metadata')} group by status_code)
      select cast(to_json({status_code: status_code, requests: requests}) as varchar)
      from counts order by status_code`,
    postgres: `select json_build_object('status_code', log #> '{metadata,response,status_code}',
        'requests', count(*))
      from edge_logs where project = 'bluefin' group by log #> '{metadata,response,status_code}'
      order by log #> '{metadata,response,status_code}'`,
  },
  {
    what: 'newest 100, by sql',
    endpoint: 'logs.all',
    values: bluefin,
    sql: 'select id, timestamp, event_message from edge_logs limit 100',
    isNewest: true,
    byHand: `select cast(to_json({id: id, timestamp: epoch_us(timestamp),
      event_message: event_message}) as varchar)
      from logs.edge_logs where project = 'bluefin' order by timestamp desc limit 100`,
    postgres: `select json_build_object('id', log -> 'id', 'timestamp', timestamp,
        'event_message', log -> 'event_message')
      from edge_logs where project = 'bluefin' order by timestamp desc limit 100`,
  },
  {
    what: 'paths of a window, by sql',
    endpoint: 'logs.all',
    values: bluefin,
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
    postgres: `select json_build_object('path', log #>> '{metadata,request,path}', 'requests', count(*))
      from edge_logs where project = 'bluefin' and timestamp between '${start}' and '${end}'
        and log #>> '{metadata,request,path}' like '/rest/%'
      group by log #>> '{metadata,request,path}' order by count(*) desc limit 10`,
  },
  {
    what: '1,000 rows with metadata, by sql',
    endpoint: 'logs.all',
    values: bluefin,
    sql: 'select id, timestamp, event_message, metadata from edge_logs order by timestamp desc limit 1000',
    isNewest: true,
    ...newest('bluefin', 1000),
  },
];
