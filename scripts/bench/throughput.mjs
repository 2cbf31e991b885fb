import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { endWithUs } from './end-with-us.mjs';
import { median } from './measure.mjs';
import { questions } from './queries.mjs';

/** @typedef {import('./service.mjs').Service} Service */
/** @typedef {{ readonly perSecond: number, readonly p50: number, readonly p99: number }} Pressed milliseconds */

const rounds = 7;
/** Rounds before those: they find code that is not compiled yet. */
const warmUp = 3;
const roundMs = 2000;

/**
 * Kept answers each second, ours and those of a bare Hono handler that gives the same bytes, by turns.
 * @param {Service} service
 * @param {string} scratch
 */
export async function measureThroughput(service, scratch) {
  const asked = questions.find(({ endpoint }) => endpoint === 'usage.api-counts');
  if (asked === undefined) throw new Error('no question of the endpoint that caches');
  const { path, headers } = service.request(asked);
  await fetch(`${service.url}${path}`, { headers });
  const kept = await fetch(`${service.url}${path}`, { headers });
  const body = Buffer.from(await kept.arrayBuffer());
  const bare = await startBare(scratch, body, headersOf(kept));
  const key = headers['x-api-key'] ?? '';
  /** @type {Pressed[]} */
  const ours = [];
  /** @type {Pressed[]} */
  const theirs = [];
  for (let round = 0; round < warmUp + rounds; round += 1) {
    ours.push(await press(service.url, path, key));
    theirs.push(await press(bare.url, path, key));
  }
  await bare.stop();
  return {
    bytes: body.length,
    ours: middle(ours.slice(warmUp)),
    theirs: middle(theirs.slice(warmUp)),
  };
}

/** @param {string} origin @param {string} path @param {string} key @returns {Promise<Pressed>} */
async function press(origin, path, key) {
  const script = new URL('press.mjs', import.meta.url).pathname;
  const args = [script, origin, path, key, String(roundMs)];
  const { stdout } = await promisify(execFile)(process.execPath, args);
  return JSON.parse(stdout);
}

/** @param {readonly Pressed[]} all @returns {Pressed} */
function middle(all) {
  return {
    perSecond: median(all.map(({ perSecond }) => perSecond)),
    p50: median(all.map(({ p50 }) => p50)),
    p99: median(all.map(({ p99 }) => p99)),
  };
}

/** What the service says beside what every server of Node's does. @param {Response} response */
function headersOf(response) {
  const own = ['connection', 'date', 'keep-alive'];
  return Object.fromEntries([...response.headers].filter(([name]) => !own.includes(name)));
}

/** @param {string} scratch @param {Buffer} body @param {Record<string, string>} headers */
async function startBare(scratch, body, headers) {
  const files = [join(scratch, 'body.json'), join(scratch, 'headers.json')];
  for (const [place, content] of [body, JSON.stringify(headers)].entries()) {
    writeFileSync(files[place] ?? '', content);
  }
  const script = new URL('bare-server.mjs', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, ...files], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  endWithUs(child);
  const [url] = await once(createInterface(child.stdout), 'line');
  const stop = async () => {
    child.kill();
    await once(child, 'exit');
  };
  return { url: String(url), stop };
}
