import { readFile, writeFile } from 'node:fs/promises';

// Writes test/acceptance/cases/own.json: the expected answers of the two stored endpoints over fixtures/,
// computed from the NDJSON independently of the service's code.
// node scripts/make-own-cases.mjs && npx biome check --write test/acceptance/cases

const now = '2026-03-10T12:00:00Z';
const atNow = parseMicros(now);
const hour = 3_600_000_000;
/** @type {Record<string, { since: number, bucket: number }>} */
const intervals = {
  minutely: { since: atNow - hour, bucket: hour / 60 },
  hourly: { since: atNow - hour, bucket: hour },
  daily: { since: atNow - 7 * 24 * hour, bucket: 24 * hour },
};
const ids = {
  logs: await readEndpointId('logs.all'),
  usage: await readEndpointId('usage.api-counts'),
};

/**
 * @typedef {object} Edge
 * @property {string} id
 * @property {number} at
 * @property {string} event_message
 * @property {string} project
 * @property {{ request: { path: string, url: string } }} metadata
 */

/** @type {readonly Edge[]} */
const edges = (await readFile('fixtures/edge_logs.ndjson', 'utf8'))
  .trimEnd()
  .split('\n')
  .map((line) => {
    const { timestamp, metadata, ...rest } = JSON.parse(line);
    const at = typeof timestamp === 'number' ? timestamp : parseMicros(timestamp);
    return { ...rest, at, metadata: Array.isArray(metadata) ? metadata[0] : metadata };
  });

const cases = [
  logs('window', {
    project: 'quarry',
    iso_timestamp_start: '2026-03-09T18:00:00Z',
    iso_timestamp_end: '2026-03-10T06:00:00Z',
  }),
  logs('start-is-exclusive', {
    project: 'bluefin',
    iso_timestamp_start: '2026-03-10T11:59:59.999999Z',
  }),
  logs('start-a-microsecond-earlier', {
    project: 'bluefin',
    iso_timestamp_start: '2026-03-10T11:59:59.999998Z',
  }),
  logs('end-is-inclusive', {
    project: 'bluefin',
    iso_timestamp_start: '2026-03-10T10:57:00Z',
    iso_timestamp_end: '2026-03-10T10:59:59.999999Z',
  }),
  logs('end-a-microsecond-earlier', {
    project: 'bluefin',
    iso_timestamp_start: '2026-03-10T10:57:00Z',
    iso_timestamp_end: '2026-03-10T10:59:59.999998Z',
  }),
  logs('offsets', {
    project: 'bluefin',
    iso_timestamp_start: '2026-03-10T16:29:59.999998+05:30',
    iso_timestamp_end: '2026-03-10T06:00:00-05:00',
  }),
  logs('no-zone-is-utc', {
    project: 'larkspur',
    iso_timestamp_start: '2026-03-03T11:59:59.999999',
    iso_timestamp_end: '2026-03-03T12:00:00',
  }),
  logs('empty-bounds-are-none', {
    project: 'bluefin',
    iso_timestamp_start: '',
    iso_timestamp_end: '2026-03-02T13:00:00Z',
  }),
  {
    ...logs('by-id', { project: 'quarry', iso_timestamp_start: '2026-03-10T11:58:00Z' }),
    endpoint: ids.logs,
  },
  {
    ...logs('post-json', { project: 'quarry', iso_timestamp_start: '2026-03-10T11:58:00Z' }),
    body: 'json',
  },
  {
    ...logs('post-form', {
      project: 'bluefin',
      iso_timestamp_start: '2026-03-10T11:59:59.999999+00:00',
    }),
    body: 'form',
  },
  logs('project-is-not-a-pattern', { project: 'quarr.' }),
  logs('project-in-other-letter-case', { project: 'Quarry' }),
  {
    ...logs('newest-hundred', { project: 'bluefin' }),
    expect: { status: 200, headers: { 'x-result-rows': '100' } },
  },
  usage('minutely', { project: 'bluefin', interval: 'minutely' }),
  usage('hourly', { project: 'bluefin', interval: 'hourly' }),
  usage('daily', { project: 'bluefin', interval: 'daily' }),
  usage('daily-edge-of-seven-days', { project: 'larkspur\\.svc\\.example', interval: 'daily' }),
  usage('pattern-anchored', { project: '^https://quarry\\.', interval: 'daily' }),
  usage('pattern-of-two', { project: 'auth_check$|avatars', interval: 'hourly' }),
  usage('pattern-in-other-letter-case', {
    project: '(?i)BLUEFIN\\.SVC.*ORDERS',
    interval: 'minutely',
  }),
  usage('bucket-of-zeros', { project: 'larkspur.*graphql', interval: 'daily' }),
  usage('nothing', { project: 'no-such-project', interval: 'daily' }),
  { ...usage('by-id', { project: 'quarry', interval: 'hourly' }), endpoint: ids.usage },
  { ...usage('post-json', { project: 'quarry', interval: 'daily' }), body: 'json' },
  refused(
    'two-faults',
    'usage.api-counts',
    {},
    { reason: 'required', message_contains: ['project', 'interval'] },
  ),
  refused(
    'empty-project',
    'logs.all',
    { project: '' },
    { reason: 'required', message_contains: ['project'] },
  ),
  refused(
    'not-a-time',
    'logs.all',
    { project: 'quarry', iso_timestamp_end: 'yesterday' },
    { reason: 'invalid', message_contains: ['iso_timestamp_end'] },
  ),
];
await writeFile(
  'test/acceptance/cases/own.json',
  `${JSON.stringify({ data: 'fixtures', now, cases }, null, 2)}\n`,
);

/** @param {string} id @param {Record<string, string>} params */
function logs(id, params) {
  const { project, iso_timestamp_start: start, iso_timestamp_end: end } = params;
  const result = edges
    .filter((edge) => edge.project === project)
    .filter((edge) => !start || edge.at > parseMicros(start))
    .filter((edge) => !end || edge.at <= parseMicros(end))
    .sort((left, right) => right.at - left.at)
    .slice(0, 100)
    .map(({ at, event_message, metadata, id }) => ({
      id,
      timestamp: at,
      event_message,
      metadata: repeated(metadata),
    }));
  return {
    id: `logs-${id}`,
    area: 'stored logs.all',
    endpoint: 'logs.all',
    params,
    order: 'exact',
    expect: { status: 200, result },
  };
}

/** @param {string} id @param {Record<string, string>} params */
function usage(id, params) {
  const { project = '', interval = '' } = params;
  const pattern = project.startsWith('(?i)')
    ? new RegExp(project.slice(4), 'i')
    : new RegExp(project);
  const { since, bucket } = intervals[interval] ?? { since: 0, bucket: 1 };
  /** @type {Map<number, string[]>} */
  const paths = new Map();
  for (const {
    at,
    metadata: { request },
  } of edges.filter((edge) => edge.at >= since)) {
    const start = at - (at % bucket);
    if (pattern.test(request.url)) paths.set(start, [...(paths.get(start) ?? []), request.path]);
  }
  const result = [...paths]
    .sort(([left], [right]) => left - right)
    .map(([start, list]) => ({
      timestamp: new Date(start / 1000).toISOString().slice(0, 19),
      total_rest_requests: countContaining(list, '/rest'),
      total_storage_requests: countContaining(list, '/storage'),
      total_auth_requests: countContaining(list, '/auth'),
      total_realtime_requests: countContaining(list, '/realtime'),
    }));
  return {
    id: `usage-${id}`,
    area: 'usage.api-counts',
    endpoint: 'usage.api-counts',
    params,
    order: 'exact',
    expect: { status: 200, result },
  };
}

/** @param {string} id @param {string} endpoint @param {Record<string, string>} params @param {object} fault */
function refused(id, endpoint, params, fault) {
  return {
    id: `refused-${id}`,
    area: 'errors',
    endpoint,
    params,
    order: 'any',
    expect: { status: 400, ...fault },
  };
}

/** @param {readonly string[]} paths @param {string} part */
function countContaining(paths, part) {
  return paths.filter((path) => path.includes(part)).length;
}

/** Turns every object into a repeated record: an array of one element. @param {unknown} value @returns {unknown} */
function repeated(value) {
  if (typeof value !== 'object' || value === null) return value;
  return [Object.fromEntries(Object.entries(value).map(([key, part]) => [key, repeated(part)]))];
}

/** Parses ISO 8601 as unix microseconds; the default zone is UTC. @param {string} iso */
function parseMicros(iso) {
  const [, second = '', fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(.*)$/.exec(iso) ?? [];
  return Date.parse(`${second}${zone || 'Z'}`) * 1000 + Number(fraction.padEnd(6, '0'));
}

/** @param {string} name */
async function readEndpointId(name) {
  const [, id] = /^-- id: (\S+)/m.exec(await readFile(`sql/endpoints/${name}.sql`, 'utf8')) ?? [];
  if (id === undefined) throw new Error(`sql/endpoints/${name}.sql has no id`);
  return id;
}
