import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { killOnExit } from './kill-on-exit.mjs';
import { median } from './measure.mjs';
import { queries } from './queries.mjs';

/** @typedef {import('./service.mjs').Service} Service */
/** Requests per second, and times in milliseconds. @typedef {{ readonly perSecond: number, readonly p50: number, readonly p99: number }} Load */

const rounds = 7;
/** Rounds that are not counted, while code is being compiled. */
const warmUpRounds = 3;
const roundMs = 2000;

/**
 * Measures cached answers of the service against a bare Hono handler that sends the same bytes, in
 * alternating rounds.
 * @param {Service} service
 * @param {string} scratch
 */
export async function measureThroughput(service, scratch) {
  const query = queries.find(({ endpoint }) => endpoint === 'usage.api-counts');
  if (query === undefined) throw new Error('no query of the endpoint that caches');
  const { path, headers } = service.request(query);
  await fetch(`${service.url}${path}`, { headers });
  const cached = await fetch(`${service.url}${path}`, { headers });
  const body = Buffer.from(await cached.arrayBuffer());
  const bare = await startBare(scratch, body, serviceHeaders(cached));
  const key = headers['x-api-key'] ?? '';
  /** @type {Load[]} */
  const ours = [];
  /** @type {Load[]} */
  const theirs = [];
  for (let round = 0; round < warmUpRounds + rounds; round += 1) {
    ours.push(await generateLoad(service.url, path, key));
    theirs.push(await generateLoad(bare.url, path, key));
  }
  await bare.stop();
  return {
    bytes: body.length,
    ours: medianLoad(ours.slice(warmUpRounds)),
    theirs: medianLoad(theirs.slice(warmUpRounds)),
  };
}

/** @param {string} origin @param {string} path @param {string} key @returns {Promise<Load>} */
async function generateLoad(origin, path, key) {
  const script = new URL('load-generator.mjs', import.meta.url).pathname;
  const args = [script, origin, path, key, String(roundMs)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

/** @param {readonly Load[]} all @returns {Load} */
function medianLoad(all) {
  return {
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    p50: median(all.map(({ p50 }) => p50)),
    p99: median(all.map(({ p99 }) => p99)),
  };
}

/** The headers that the service sets, without those that every Node server adds. @param {Response} response */
function serviceHeaders(response) {
  const fromNode = ['connection', 'date', 'keep-alive'];
  return Object.fromEntries([...response.headers].filter(([name]) => !fromNode.includes(name)));
}

/** @param {string} scratch @param {Buffer} body @param {Record<string, string>} headers */
async function startBare(scratch, body, headers) {
  const files = [join(scratch, 'body.json'), join(scratch, 'headers.json')];
  for (const [index, content] of [body, JSON.stringify(headers)].entries()) {
    writeFileSync(files[index] ?? '', content);
  }
  const script = new URL('bare-server.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  killOnExit(child);
  const [url] = await once(createInterface(child.stdout), 'line');
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { url: String(url), stop };
}
