import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf } from './address-of.mjs';
import { sendRequest } from './faults/send-request.mjs';
import { startService, tokens } from './faults/service.mjs';
import { expensiveTexts } from './starvation/texts.mjs';

// Starvation test: one caller sends queries that are expensive to compile on eight connections:
// npm run starvation -- 20. Measures how much that slows down `select 1` of another caller, and /health.
// Prints the times; exits with code 1 if a limit is exceeded.

const [seconds = 20] = process.argv.slice(2).map(Number);
if (!(seconds > 0)) {
  console.error('usage: npm run starvation -- [seconds]');
  process.exit(2);
}

const connections = 8;
/** The median of `select 1` may grow by this factor. */
const maxSlowdown = 3;
const maxHealthMs = 50;
/** How long the victim waits between two queries. */
const pauseMs = 20;

const root = new URL('..', import.meta.url).pathname;
const service = await startService(root);
const bare = spawn(process.execPath, [join(root, 'scripts/faults/bare.mjs')]);
const addressOfBare = await addressOf(bare.stdout);
process.on('exit', () => bare.kill('SIGKILL'));

/** Makes each query text unique, so that none is found in a cache. */
let requestCount = 0;
let isOver = false;

for (let turn = 0; turn < 50; turn++) await timeVictimQuery();
const idle = await measure(Math.min(seconds, 5));
/** @type {Record<string, number>} */
const outcomes = {};
const attackers = Array.from({ length: connections }, (_, index) => attack(index));
await sleep(500);
const stopHealthProbe = startHealthProbe();
const busy = await measure(seconds);
const healthTimes = await stopHealthProbe();
isOver = true;
await Promise.all(attackers);
await service.stop();
report();

/** Sends expensive queries until the test ends. @param {number} first index of the first text */
async function attack(first) {
  for (let turn = first; !isOver; turn++) {
    const { name, sql } = expensiveTexts[turn % expensiveTexts.length] ?? { name: '', sql: '' };
    const answer = await post(`${sql} -- ${requestCount++}`, tokens.hostile);
    const outcome = `${name}: ${answer?.status ?? 'no answer'}`;
    outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
  }
}

/** The time of one query of the other caller, in milliseconds. */
async function timeVictimQuery() {
  const start = performance.now();
  const answer = await post(`select ${requestCount++} as n`, tokens.cheap);
  if (answer?.status !== 200) throw new Error(`select 1: ${answer?.status} ${answer?.body}`);
  return performance.now() - start;
}

/** @param {string} sql @param {string} token */
function post(sql, token) {
  const body = new URLSearchParams({ project: 'bluefin', sql }).toString();
  const headers = { 'x-api-key': token, 'content-type': 'application/x-www-form-urlencoded' };
  return sendRequest(service.url, {
    method: 'POST',
    path: '/api/endpoints/query/logs.all',
    headers,
    body,
  });
}

/** Times queries of the other caller for some seconds. @param {number} seconds */
async function measure(seconds) {
  /** @type {number[]} */
  const times = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    times.push(await timeVictimQuery());
    await sleep(pauseMs);
  }
  times.sort((one, other) => one - other);
  const quantile = (/** @type {number} */ fraction) =>
    Math.round((times[Math.floor(fraction * times.length)] ?? 0) * 10) / 10;
  return {
    queries: times.length,
    p50Ms: quantile(0.5),
    p90Ms: quantile(0.9),
    maxMs: quantile(0.9999),
  };
}

/** Starts a process that probes /health; the returned function stops it and reads its times. */
function startHealthProbe() {
  const servers = [service.url, `${service.pid}`, addressOfBare, `${bare.pid}`];
  const child = spawn(process.execPath, [join(root, 'scripts/faults/health.mjs'), ...servers]);
  process.on('exit', () => child.kill('SIGKILL'));
  return async () => {
    child.kill('SIGTERM');
    let text = '';
    for await (const chunk of child.stdout) text += chunk;
    return JSON.parse(text);
  };
}

function report() {
  const slowdown = Math.round((busy.p50Ms / idle.p50Ms) * 100) / 100;
  console.log(
    JSON.stringify({ idle, busy, slowdown, health: healthTimes, outcomes }, undefined, 2),
  );
  if (slowdown >= maxSlowdown) console.error(`select 1 takes ${slowdown} times its idle median`);
  if (!(healthTimes.p99Ms < maxHealthMs)) console.error(`/health p99 is ${healthTimes.p99Ms} ms`);
  process.exit(
    slowdown < maxSlowdown && healthTimes.failed === 0 && healthTimes.p99Ms < maxHealthMs ? 0 : 1,
  );
}
