import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Agent, createServer, get } from 'node:http';
import { createInterface } from 'node:readline';
import { now } from './built.mjs';
import { endWithUs } from './end-with-us.mjs';
import { watchMemory } from './memory.mjs';

/** @typedef {import('./queries.mjs').Asked} Asked */

const main = new URL('../../dist/main.js', import.meta.url).pathname;
const token = 'a-token-of-the-bench-only';
const warmUpRequests = 2000;
/** @type {Asked} */
const greeting = { what: 'nothing', endpoint: 'none', values: {}, byHand: '', postgres: '' };

/**
 * The built program as its users start it, over HTTP.
 * @typedef {object} Service
 * @property {string} url
 * @property {number} startMs until it said where it listens
 * @property {import('./memory.mjs').Peak} peak until then
 * @property {(asked: Asked, instant?: string) => Promise<{ readonly rows: number, readonly body: Buffer }>} ask
 * @property {(asked: Asked) => { readonly path: string, readonly headers: Readonly<Record<string, string>> }} request
 * @property {() => Promise<void>} stop
 */

/** @param {string} folder of logs @param {string} memoryLimit @returns {Promise<Service>} */
export async function startService(folder, memoryLimit) {
  const start = performance.now();
  const flags = ['--data', folder, '--port', '0', '--now', now, '--allow-now-header'];
  const child = spawn(process.execPath, [main, 'serve', ...flags, '--memory-limit', memoryLimit], {
    env: { ...process.env, LOG_ENDPOINTS_TOKENS: token },
    // A log line for each request, as ever; nobody reads it here.
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  endWithUs(child);
  const peak = watchMemory(child.pid ?? 0);
  const ended = once(child, 'exit');
  const url = await Promise.race([readUrl(child.stdout), ended.then(() => '')]);
  const measured = { startMs: performance.now() - start, peak: peak() };
  if (url === '') throw new Error(`the server ended: log-endpoints serve ${flags.join(' ')}`);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  return {
    url,
    ...measured,
    request,
    ask: (asked, instant) => ask(url, agent, { asked, instant }),
    stop: async () => {
      agent.destroy();
      child.kill();
      await ended;
    },
  };
}

/**
 * Asks a server that answers at once, until the code that asks is compiled: who asks for the first
 * time would wait for that, whatever the service does.
 */
export async function warmClient() {
  const server = createServer((_request, response) => response.end()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const { port } = Object(server.address());
  for (let turn = 0; turn < warmUpRequests; turn += 1) {
    await ask(`http://127.0.0.1:${port}`, agent, { asked: greeting, instant: now });
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

/** @param {Asked} asked */
function request({ endpoint, values, sql }) {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [/** @type {[string, string]} */ ([name, value])],
  );
  const query = new URLSearchParams(sql === undefined ? given : [...given, ['sql', sql]]);
  return { path: `/api/endpoints/query/${endpoint}?${query}`, headers: { 'x-api-key': token } };
}

/**
 * @param {string} url
 * @param {Agent} agent
 * @param {{ readonly asked: Asked, readonly instant: string | undefined }} question an instant of its own passes the cache by
 * @returns {Promise<{ readonly rows: number, readonly body: Buffer }>}
 */
function ask(url, agent, { asked, instant }) {
  const { path, headers } = request(asked);
  const clock = instant === undefined ? {} : { 'svc-endpoint-now': instant };
  return new Promise((resolve, reject) => {
    const sent = get(`${url}${path}`, { agent, headers: { ...headers, ...clock } }, (response) => {
      /** @type {Buffer[]} */
      const chunks = [];
      response.on('data', (chunk) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        const body = Buffer.concat(chunks);
        const rows = Number(response.headers['x-result-rows']);
        if (response.statusCode === 200) resolve({ rows, body });
        else reject(new Error(`${asked.what}: ${response.statusCode} ${body}`));
      });
    });
    sent.on('error', reject);
  });
}
