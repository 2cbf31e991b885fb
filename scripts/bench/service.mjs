import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { createInterface } from 'node:readline';
import { now } from './built.mjs';
import { killOnExit } from './kill-on-exit.mjs';
import { watchMemory } from './memory.mjs';
import { treeCpuMs, untilQuiet } from './processor-time.mjs';

/** @typedef {import('./queries.mjs').Query} Query */

const ownMain = new URL('../../dist/main.js', import.meta.url).pathname;
const token = 'a-token-for-the-benchmark';
const warmUpRequests = 2000;
/** @type {Query} */
const warmUpQuery = { what: 'nothing', endpoint: 'none', values: {}, byHand: '', postgres: '' };

/**
 * The built program, started and queried as by its users.
 * @typedef {object} Service
 * @property {string} url
 * @property {number} pid
 * @property {number} startMs until it prints its address
 * @property {import('./memory.mjs').Peak} peak memory until then
 * @property {(query: Query, instant?: string) => Promise<{ readonly rows: number, readonly body: Buffer }>} ask a new instant for each request bypasses the cache
 * @property {(query: Query) => { readonly path: string, readonly headers: Readonly<Record<string, string>> }} request
 * @property {() => number} cpuMs processor time of all its processes since it was started, also of those that have exited
 * @property {() => Promise<number>} untilQuiet until its work in the background has ended, with the processor time until then
 * @property {() => Promise<void>} stop
 */

/**
 * The options for starting a service.
 * @typedef {object} StartOptions
 * @property {string} memoryLimit
 * @property {string | undefined} [main] the program, if not this build's
 * @property {string | undefined} [profile] folder for its CPU profile
 * @property {readonly string[]} [flags] flags in addition to those of every service
 */

/** Starts the service over a folder of logs. @param {string} folder @param {StartOptions} options @returns {Promise<Service>} */
export async function startService(folder, options) {
  const { memoryLimit, profile, main = ownMain, flags: more = [] } = options;
  const start = performance.now();
  const usual = ['--data', folder, '--port', '0', '--now', now, '--allow-now-header'];
  const flags = [...usual, '--memory-limit', memoryLimit, ...more];
  const profiling = profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profile}`];
  const args = [...profiling, main, 'serve', ...flags];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, LOG_ENDPOINTS_TOKENS: token },
    // The request log is written as usual, and discarded.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  killOnExit(child);
  const { pid = 0 } = child;
  const peak = watchMemory(pid);
  const exited = once(child, 'exit');
  const url = await Promise.race([readUrl(child.stdout), exited.then(() => '')]);
  const measured = { startMs: performance.now() - start, peak: peak() };
  if (url === '') throw new Error(`the server exited: log-endpoints serve ${flags.join(' ')}`);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    url,
    pid,
    ...measured,
    request,
    ask: (query, instant) => ask(url, agent, { query, instant }),
    cpuMs: () => treeCpuMs(pid),
    untilQuiet: () => untilQuiet(pid),
    stop: async () => {
      agent.destroy();
      child.kill();
      await exited;
    },
  };
}

let instants = 0;

/** A clock that no request has had, so that the answer is in no cache. */
export function nextInstant() {
  instants += 1;
  return instantAtMicros(instants);
}

/** @param {number} micros */
export function instantAtMicros(micros) {
  return `2026-03-10T12:00:00.${String(micros).padStart(6, '0')}Z`;
}

/**
 * Queries a trivial server until the client code is compiled, so that the first requests to the
 * service do not measure the client's own warm-up.
 */
export async function warmClient() {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { port } = Object(server.address());
  for (let turn = 0; turn < warmUpRequests; turn += 1) {
    await ask(`http://127.0.0.1:${port}`, agent, { query: warmUpQuery, instant: now });
  }
  agent.destroy();
  server.close();
}

/** @param {import('node:stream').Readable} output */
async function readUrl(output) {
  for await (const line of createInterface(output)) {
    const url = / on (http:\S+)$/.exec(line)?.[1];
    if (url === undefined) continue;
    output.resume();
    return url;
  }
  return '';
}

/** @param {Query} query */
function request({ endpoint, values, sql }) {
  const parameters = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [/** @type {[string, string]} */ ([name, value])],
  );
  const search = new URLSearchParams(
    sql === undefined ? parameters : [...parameters, ['sql', sql]],
  );
  return { path: `/api/endpoints/query/${endpoint}?${search}`, headers: { 'x-api-key': token } };
}

/**
 * @param {string} url
 * @param {Agent} agent
 * @param {{ readonly query: Query, readonly instant: string | undefined }} request
 */
function ask(url, agent, { query, instant }) {
  const { path, headers } = request(query);
  const clock = instant === undefined ? {} : { 'svc-endpoint-now': instant };
  return fetchRows(`${url}${path}`, { agent, headers: { ...headers, ...clock } });
}

/**
 * Reads an answer to its end.
 * @param {string} url
 * @param {import('node:http').RequestOptions} options
 * @returns {Promise<{ readonly rows: number, readonly body: Buffer }>}
 */
export function fetchRows(url, options) {
  return new Promise((resolve, reject) => {
    const sent = get(url, options, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        const rows = Number(response.headers['x-result-rows']);
        if (response.statusCode === 200) resolve({ rows, body });
        else reject(new Error(`${url}: ${response.statusCode} ${body}`));
      });
    });
    sent.on('error', reject);
  });
}
