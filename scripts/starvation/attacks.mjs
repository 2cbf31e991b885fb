import { recordTime } from './records.mjs';
import { expensiveTexts } from './texts.mjs';

/**
 * A request of an attack. `isEndless`: the client leaves after the first bytes of the answer.
 * @typedef {object} AttackRequest
 * @property {'GET' | 'POST'} method
 * @property {string} path
 * @property {Readonly<Record<string, string>>} [headers]
 * @property {string} [body]
 * @property {boolean} [isEndless]
 */

/**
 * A kind of request that one token sends over and over. `makeRequest` gets the number of the request, so that no two need
 * have the same text.
 * @typedef {object} Attack
 * @property {string} name
 * @property {(n: number) => AttackRequest} makeRequest
 * @property {number} [status] of its answers; 200 by default, undefined inside of `statuses`
 * @property {boolean} [withoutToken]
 */

/** The number of records of the logs. */
export const recordCount = 4_000;

const endpoint = '/api/endpoints/query/logs.all';
const form = { 'content-type': 'application/x-www-form-urlencoded' };
const json = { 'content-type': 'application/json' };

/** @param {Readonly<Record<string, string>>} parameters @returns {AttackRequest} */
const query = (parameters) => ({
  method: 'POST',
  path: endpoint,
  headers: form,
  body: new URLSearchParams({ project: 'bluefin', ...parameters }).toString(),
});

/** @param {string} path @returns {AttackRequest} */
const get = (path) => ({ method: 'GET', path });

/** @param {string} method @param {object} params @param {number} id @returns {AttackRequest} */
const mcp = (method, params, id) => ({
  method: 'POST',
  path: '/mcp',
  headers: { ...json, accept: 'application/json, text/event-stream' },
  body: JSON.stringify({ jsonrpc: '2.0', id, method, params }),
});

/** An instant within the logs, with records of a thousand rows before it. @param {number} n */
const loggedInstant = (n) =>
  recordTime(recordCount / 2 + (n % (recordCount / 2)) + (n % 997) / 1_000);

/** The newest rows, all columns. @param {number} n @param {number} limit */
const newest = (n, limit) =>
  `select * from edge_logs where timestamp <= '${loggedInstant(n)}' order by timestamp desc limit ${limit}`;

/** The query that the victim sends, too: it measures the cost of a fair share. @type {Attack} */
export const counting = {
  name: 'select count(*)',
  makeRequest: (n) => query({ sql: `select count(*) as n, ${n} as m from edge_logs` }),
};

/** One for each route, and those that are expensive for their length. @type {readonly Attack[]} */
export const attacks = [
  { name: 'stored', makeRequest: () => get(`${endpoint}?project=bluefin`) },
  {
    name: 'stored, changing ends',
    makeRequest: (n) => get(`${endpoint}?project=bluefin&iso_timestamp_end=${loggedInstant(n)}`),
  },
  { name: 'newest by sql', makeRequest: (n) => query({ sql: newest(n, 100) }) },
  { name: 'a thousand rows by sql', makeRequest: (n) => query({ sql: newest(n, 1_000) }) },
  {
    name: 'lql',
    makeRequest: (n) => query({ lql: `f:edge_logs s:* t:<=${loggedInstant(n)}` }),
  },
  { name: 'catalogue', makeRequest: () => get('/api/endpoints') },
  { name: 'OpenAPI', makeRequest: () => get('/api/openapi.json') },
  { name: 'functions', makeRequest: () => get('/api/functions') },
  { name: 'MCP tools/list', makeRequest: (n) => mcp('tools/list', {}, n) },
  {
    name: 'MCP query_logs',
    makeRequest: (n) =>
      mcp(
        'tools/call',
        { name: 'query_logs', arguments: { project: 'bluefin', sql: newest(n, 1_000) } },
        n,
      ),
  },
  {
    name: 'MCP describe_tables',
    makeRequest: (n) => mcp('tools/call', { name: 'describe_tables', arguments: {} }, n),
  },
  {
    name: 'many MCP arguments',
    makeRequest: (n) => mcp('tools/call', { name: 'query_logs', arguments: manyArguments(n) }, n),
    status: 400,
  },
  { name: 'metrics', makeRequest: () => get('/metrics'), withoutToken: true },
  {
    name: 'tail',
    makeRequest: () => ({
      ...get('/api/tail/logs.all?project=bluefin&source=edge_logs'),
      isEndless: true,
    }),
  },
  { name: 'explain, stored', makeRequest: () => get(`${endpoint}?project=bluefin&explain=true`) },
  {
    name: 'explain, sql',
    makeRequest: (n) =>
      query({ explain: 'true', sql: `select count(*) as n, ${n} as m from edge_logs` }),
  },
  {
    name: 'bodies of 200 KB',
    makeRequest: (n) => ({ ...query({}), headers: json, body: largeBody(n) }),
  },
  {
    name: 'a long list in a body',
    makeRequest: (n) => ({ ...query({}), headers: json, body: longList(n) }),
    status: 400,
  },
  { name: 'expensive texts', makeRequest: (n) => query({ sql: expensiveText(n) }) },
];

/** 200 KB of arguments that do not exist. @param {number} n */
function manyArguments(n) {
  return Object.fromEntries(Array.from({ length: 9_000 }, (_, at) => [`projekt${n}_${at}`, 1]));
}

/** @param {number} n */
function longList(n) {
  return `{"project":[${n}${',1'.repeat(100_000)}]}`;
}

/** @param {number} n */
function largeBody(n) {
  const members = Array.from({ length: 95 }, (_, at) => [`p${at}`, `${n}"\\`.padEnd(2_000, 'x')]);
  return JSON.stringify({ project: 'bluefin', ...Object.fromEntries(members) });
}

/** @param {number} n */
function expensiveText(n) {
  return `${expensiveTexts[n % expensiveTexts.length]?.sql} -- ${n}`;
}
