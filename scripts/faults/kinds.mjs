// The requests of the fault test, with their allowed outcomes.

/** @typedef {import('../fixtures/built.mjs').Random} Random */

/**
 * A kind of request.
 * @typedef {object} Kind
 * @property {string} name
 * @property {keyof typeof import('./service.mjs').tokens} caller
 * @property {(random: Random) => import('./send-request.mjs').Request} make
 * @property {readonly string[]} outcomes of an idle service: status, and reason of an error
 * @property {boolean} [isConstant] whether all answers have the same body
 */

const logs = '/api/endpoints/query/logs.all';
const counts = '/api/endpoints/query/usage.api-counts';
const project = 'bluefin';
const form = { 'content-type': 'application/x-www-form-urlencoded' };

/** @param {string} sql */
function post(sql) {
  const body = new URLSearchParams({ project, sql }).toString();
  return { method: /** @type {const} */ ('POST'), path: logs, headers: form, body };
}

/** @param {string} path @param {Readonly<Record<string, string>>} parameters */
function get(path, parameters) {
  return { path: `${path}?${new URLSearchParams(parameters)}` };
}

/** @type {readonly Kind[]} */
const cheap = [
  { name: 'stored', make: () => get(logs, { project }), outcomes: ['200'], isConstant: true },
  ...['minutely', 'hourly', 'daily'].map((interval) => ({
    name: `counts ${interval}`,
    make: () => get(counts, { project, interval }),
    outcomes: ['200'],
    isConstant: true,
  })),
  {
    name: 'counts of a new pattern',
    make: (/** @type {Random} */ random) =>
      get(counts, { project: `${project}|x${random.hex(8)}`, interval: 'hourly' }),
    outcomes: ['200'],
    isConstant: true,
  },
  {
    name: 'counts, not modified',
    make: () => ({
      ...get(counts, { project, interval: 'daily' }),
      headers: { 'if-none-match': '*' },
    }),
    outcomes: ['304'],
    isConstant: true,
  },
  {
    name: 'LQL',
    make: () => get(logs, { project, lql: 'm.request.method:GET' }),
    outcomes: ['200', '400 invalidQuery'],
    isConstant: true,
  },
  {
    name: 'small SQL',
    make: () => post('select count(*) as n, max(timestamp) as t from edge_logs'),
    outcomes: ['200'],
    isConstant: true,
  },
  {
    name: 'redacted',
    make: () => ({
      ...get(logs, { project, sql: 'select event_message from auth_logs order by id limit 20' }),
      headers: { 'svc-endpoint-redact-pii': 'true' },
    }),
    outcomes: ['200'],
    isConstant: true,
  },
  { name: 'no project', make: () => get(logs, {}), outcomes: ['400 required'], isConstant: true },
  {
    name: 'no endpoint',
    make: () => get('/api/endpoints/query/logs.al', { project }),
    outcomes: ['404 notFound'],
    isConstant: true,
  },
  {
    name: 'no such path',
    make: () => ({ path: '/nothing' }),
    outcomes: ['404 notFound'],
    isConstant: true,
  },
  {
    name: 'another method',
    make: () => ({ method: 'HEAD', path: '/health' }),
    outcomes: ['200'],
    isConstant: true,
  },
].map((kind) => ({ ...kind, caller: /** @type {const} */ ('cheap') }));

/** @type {readonly Kind[]} */
const expensive = [
  `select r.method, count(*) as n, max(a.timestamp) as t from edge_logs a, unnest(metadata) m, unnest(m.request) r
    group by r.method order by n desc, 1`,
  'select a.id, b.id as other from edge_logs a join edge_logs b on a.id < b.id order by a.id desc, b.id limit 500',
  `select a.event_message, count(*) as n, count(distinct b.id) as ids from edge_logs a join edge_logs b
    on a.event_message = b.event_message group by 1 order by 2 desc, 1`,
  `select id, row_number() over (partition by event_message order by timestamp, id) as n from edge_logs order by id`,
  `select id, repeat(event_message, 50) as x from edge_logs order by id`,
].map((sql, index) => ({
  name: `expensive ${index}`,
  caller: 'expensive',
  make: () => post(sql),
  outcomes: ['200'],
  isConstant: true,
}));

// Each text is unique, because a statement that has ended three processes in a row is refused for a while.
/** @type {readonly Kind[]} */
const hostile = [
  {
    name: 'never ends',
    make: (/** @type {Random} */ random) =>
      post(`select count(*) as n from edge_logs a cross join edge_logs b cross join edge_logs c
        where a.event_message || b.event_message || '${random.hex(8)}' < c.event_message`),
    outcomes: ['504 timeout'],
  },
  {
    name: 'a large sort',
    make: (/** @type {Random} */ random) =>
      post(`select a.event_message || '${random.hex(8)}' as x, row_number() over (order by a.event_message, b.event_message) as n
        from edge_logs a cross join edge_logs b cross join (select id from edge_logs limit 100) as c`),
    outcomes: ['504 timeout', '400 resourcesExceeded'],
  },
  {
    name: 'half a gigabyte of strings',
    make: (/** @type {Random} */ random) =>
      post(`select array_length(array_agg(concat(a.id, b.id, repeat('${random.hex(4)}', 200000)))) as n
        from edge_logs a cross join auth_logs b`),
    outcomes: ['400 resourcesExceeded', '504 timeout'],
  },
  {
    name: 'a large answer',
    make: (/** @type {Random} */ random) =>
      post(`select id, repeat('${random.hex(8)}', 9000) as x from edge_logs limit 700`),
    outcomes: ['400 resourcesExceeded', '504 timeout'],
  },
  {
    name: 'invalid SQL',
    make: () => post('select from where'),
    outcomes: ['400 invalidQuery'],
    isConstant: true,
  },
  {
    name: 'an unknown column',
    make: () => post('select nothing_there from edge_logs'),
    outcomes: ['400 invalidQuery'],
    isConstant: true,
  },
  {
    name: 'a bad cast',
    make: () => post('select cast(id as int64) as n from (select id from edge_logs order by id)'),
    outcomes: ['400 invalidQuery'],
  },
  {
    name: 'an unknown table',
    make: () => post('select * from secrets'),
    outcomes: ['400 accessDenied'],
    isConstant: true,
  },
  {
    name: 'a large body',
    make: () => post('x'.repeat(300_000)),
    outcomes: ['413 tooLarge'],
    isConstant: true,
  },
  {
    name: 'long SQL',
    make: () => post(`select ${'1+'.repeat(33_000)}1`),
    outcomes: ['400 resourcesExceeded'],
    isConstant: true,
  },
  {
    name: 'a long URL',
    make: () => get(logs, { x: 'x'.repeat(70_000) }),
    outcomes: ['414 tooLarge'],
    isConstant: true,
  },
  {
    name: 'a body of an unsupported type',
    make: () => ({ ...post('select 1'), headers: { 'content-type': 'text/plain' } }),
    outcomes: ['400 invalid'],
    isConstant: true,
  },
].map((kind) => ({ ...kind, caller: /** @type {const} */ ('hostile') }));

/** All requests of the fault test. */
export const kinds = [...cheap, ...expensive, ...hostile];
