import { timeOf } from './records.mjs';
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
 * A kind of request that one token sends over and over. `requestOf` gets the number of the request, so that no two need
 * have the same text.
 * @typedef {object} Attack
 * @property {string} name
 * @property {(n: number) => AttackRequest} requestOf
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
const instantOf = (n) => timeOf(recordCount / 2 + (n % (recordCount / 2)) + (n % 997) / 1_000);

/** The newest rows, all columns. @param {number} n @param {number} limit */
const newest = (n, limit) =>
  `select * from edge_logs where timestamp <= '${instantOf(n)}' order by timestamp desc limit ${limit}`;

/** What the victim sends, too: the measure of what a fair share costs. @type {Attack} */
export const counting = {
  name: 'select count(*)',
  requestOf: (n) => query({ sql: `select count(*) as n, ${n} as m from edge_logs` }),
};

/** One for each route, and those that are expensive for their length. @type {readonly Attack[]} */
export const attacks = [
  { name: 'stored', requestOf: () => get(`${endpoint}?project=bluefin`) },
  {
    name: 'stored, changing ends',
    requestOf: (n) => get(`${endpoint}?project=bluefin&iso_timestamp_end=${instantOf(n)}`),
  },
  { name: 'newest by sql', requestOf: (n) => query({ sql: newest(n, 100) }) },
  { name: 'a thousand rows by sql', requestOf: (n) => query({ sql: newest(n, 1_000) }) },
  {
    name: 'lql',
    requestOf: (n) => query({ lql: `f:edge_logs s:* t:<=${instantOf(n)}` }),
  },
  { name: 'catalogue', requestOf: () => get('/api/endpoints') },
  { name: 'OpenAPI', requestOf: () => get('/api/openapi.json') },
  { name: 'functions', requestOf: () => get('/api/functions') },
  { name: 'MCP tools/list', requestOf: (n) => mcp('tools/list', {}, n) },
  {
    name: 'MCP query_logs',
    requestOf: (n) =>
      mcp(
        'tools/call',
        { name: 'query_logs', arguments: { project: 'bluefin', sql: newest(n, 1_000) } },
        n,
      ),
  },
  {
    name: 'MCP describe_tables',
    requestOf: (n) => mcp('tools/call', { name: 'describe_tables', arguments: {} }, n),
  },
  {
    name: 'many MCP arguments',
    requestOf: (n) => mcp('tools/call', { name: 'query_logs', arguments: manyArguments(n) }, n),
    status: 400,
  },
  { name: 'metrics', requestOf: () => get('/metrics'), withoutToken: true },
  {
    name: 'tail',
    requestOf: () => ({
      ...get('/api/tail/logs.all?project=bluefin&source=edge_logs'),
      isEndless: true,
    }),
  },
  { name: 'explain, stored', requestOf: () => get(`${endpoint}?project=bluefin&explain=true`) },
  {
    name: 'explain, sql',
    requestOf: (n) =>
      query({ explain: 'true', sql: `select count(*) as n, ${n} as m from edge_logs` }),
  },
  {
    name: 'bodies of 200 KB',
    requestOf: (n) => ({ ...query({}), headers: json, body: largeBody(n) }),
  },
  {
    name: 'a long list in a body',
    requestOf: (n) => ({ ...query({}), headers: json, body: longList(n) }),
    status: 400,
  },
  { name: 'expensive texts', requestOf: (n) => query({ sql: expensiveText(n) }) },
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
