// What callers send in the fault test, and what they may get: a table.

/** @typedef {import('../fixtures/random.mjs').Random} Random */

/**
 * @typedef {object} Kind
 * @property {string} name
 * @property {keyof typeof import('./service.mjs').tokens} caller
 * @property {(random: Random) => import('./ask.mjs').Asked} make
 * @property {readonly string[]} gives status and reason of its answers, in a service that has nothing else to do
 * @property {boolean} [alike] whether every answer has the same body
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
  { name: 'stored', make: () => get(logs, { project }), gives: ['200'], alike: true },
  ...['minutely', 'hourly', 'daily'].map((interval) => ({
    name: `counts ${interval}`,
    make: () => get(counts, { project, interval }),
    gives: ['200'],
    alike: true,
  })),
  {
    name: 'counts of a pattern that nobody asked for before',
    make: (/** @type {Random} */ random) =>
      get(counts, { project: `${project}|x${random.hex(8)}`, interval: 'hourly' }),
    gives: ['200'],
    alike: true,
  },
  {
    name: 'counts, known to the caller',
    make: () => ({
      ...get(counts, { project, interval: 'daily' }),
      headers: { 'if-none-match': '*' },
    }),
    gives: ['304'],
    alike: true,
  },
  {
    name: 'LQL',
    make: () => get(logs, { project, lql: 'm.request.method:GET' }),
    gives: ['200', '400 invalidQuery'],
    alike: true,
  },
  {
    name: 'small SQL',
    make: () => post('select count(*) as n, max(timestamp) as t from edge_logs'),
    gives: ['200'],
    alike: true,
  },
  {
    name: 'redacted',
    make: () => ({
      ...get(logs, { project, sql: 'select event_message from auth_logs order by id limit 20' }),
      headers: { 'svc-endpoint-redact-pii': 'true' },
    }),
    gives: ['200'],
    alike: true,
  },
  { name: 'no project', make: () => get(logs, {}), gives: ['400 required'], alike: true },
  {
    name: 'no endpoint',
    make: () => get('/api/endpoints/query/logs.al', { project }),
    gives: ['404 notFound'],
    alike: true,
  },
  {
    name: 'no such path',
    make: () => ({ path: '/nothing' }),
    gives: ['404 notFound'],
    alike: true,
  },
  {
    name: 'another method',
    make: () => ({ method: 'HEAD', path: '/health' }),
    gives: ['200'],
    alike: true,
  },
].map((kind) => ({ ...kind, caller: /** @type {const} */ ('cheap') }));

/** @type {readonly Kind[]} */
const dear = [
  `select r.method, count(*) as n, max(a.timestamp) as t from edge_logs a, unnest(metadata) m, unnest(m.request) r
    group by r.method order by n desc, 1`,
  'select a.id, b.id as other from edge_logs a join edge_logs b on a.id < b.id order by a.id desc, b.id limit 500',
  `select a.event_message, count(*) as n, count(distinct b.id) as ids from edge_logs a join edge_logs b
    on a.event_message = b.event_message group by 1 order by 2 desc, 1`,
  `select id, row_number() over (partition by event_message order by timestamp, id) as n from edge_logs order by id`,
  `select id, repeat(event_message, 50) as x from edge_logs order by id`,
].map((sql, place) => ({
  name: `dear ${place}`,
  caller: 'dear',
  make: () => post(sql),
  gives: ['200'],
  alike: true,
}));

// A text of its own each time: a statement that ends three processes in a row is refused for a while.
/** @type {readonly Kind[]} */
const hostile = [
  {
    name: 'without end',
    make: (/** @type {Random} */ random) =>
      post(`select count(*) as n from edge_logs a cross join edge_logs b cross join edge_logs c
        where a.event_message || b.event_message || '${random.hex(8)}' < c.event_message`),
    gives: ['504 timeout'],
  },
  {
    name: 'a sort of everything',
    make: (/** @type {Random} */ random) =>
      post(`select a.event_message || '${random.hex(8)}' as x, row_number() over (order by a.event_message, b.event_message) as n
        from edge_logs a cross join edge_logs b cross join (select id from edge_logs limit 100) as c`),
    gives: ['504 timeout', '400 resourcesExceeded'],
  },
  {
    name: 'half a gigabyte of texts',
    make: (/** @type {Random} */ random) =>
      post(`select array_length(array_agg(concat(a.id, b.id, repeat('${random.hex(4)}', 200000)))) as n
        from edge_logs a cross join auth_logs b`),
    gives: ['400 resourcesExceeded', '504 timeout'],
  },
  {
    name: 'a large answer',
    make: (/** @type {Random} */ random) =>
      post(`select id, repeat('${random.hex(8)}', 9000) as x from edge_logs limit 700`),
    gives: ['400 resourcesExceeded', '504 timeout'],
  },
  {
    name: 'no SQL',
    make: () => post('select from where'),
    gives: ['400 invalidQuery'],
    alike: true,
  },
  {
    name: 'an unknown column',
    make: () => post('select nothing_there from edge_logs'),
    gives: ['400 invalidQuery'],
    alike: true,
  },
  {
    name: 'a bad cast',
    make: () => post('select cast(id as int64) as n from (select id from edge_logs order by id)'),
    gives: ['400 invalidQuery'],
  },
  {
    name: 'another table',
    make: () => post('select * from secrets'),
    gives: ['400 accessDenied'],
    alike: true,
  },
  {
    name: 'a large body',
    make: () => post('x'.repeat(300_000)),
    gives: ['413 tooLarge'],
    alike: true,
  },
  {
    name: 'long SQL',
    make: () => post(`select ${'1+'.repeat(33_000)}1`),
    gives: ['400 resourcesExceeded'],
    alike: true,
  },
  {
    name: 'a long URL',
    make: () => get(logs, { x: 'x'.repeat(70_000) }),
    gives: ['414 tooLarge'],
    alike: true,
  },
  {
    name: 'a body of another kind',
    make: () => ({ ...post('select 1'), headers: { 'content-type': 'text/plain' } }),
    gives: ['400 invalid'],
    alike: true,
  },
].map((kind) => ({ ...kind, caller: /** @type {const} */ ('hostile') }));

export const kinds = [...cheap, ...dear, ...hostile];
