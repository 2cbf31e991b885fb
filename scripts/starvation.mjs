import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { addressOf } from './address-of.mjs';
import { ask } from './faults/ask.mjs';
import { startService, tokens } from './faults/service.mjs';
import { dearTexts } from './starvation/texts.mjs';

// One token sends the dearest texts on eight connections: npm run starvation -- 20. Measures what that
// costs another token's `select 1`, and /health. Prints the numbers; exit code 1 over a goal.

const [seconds = 20] = process.argv.slice(2).map(Number);
if (!(seconds > 0)) {
  console.error('usage: npm run starvation -- [seconds]');
  process.exit(2);
}

const connections = 8;
/** A median of `select 1` may grow by this much. */
const mostTimes = 3;
const mostHealthMs = 50;
/** How long the victim waits between two queries, in milliseconds: a caller in no hurry. */
const pauseMs = 20;

const root = new URL('..', import.meta.url).pathname;
const service = await startService(root);
const bare = spawn(process.execPath, [join(root, 'scripts/faults/bare.mjs')]);
const addressOfBare = await addressOf(bare.stdout);
process.on('exit', () => bare.kill('SIGKILL'));

/** Differs for each request: nothing is answered from what was compiled before. */
let asked = 0;
let isOver = false;

for (let turn = 0; turn < 50; turn++) await victim();
const idle = await measure(Math.min(seconds, 5));
/** @type {Record<string, number>} */
const ends = {};
const attackers = Array.from({ length: connections }, (_, place) => attack(place));
await sleep(500);
const health = watchHealth();
const busy = await measure(seconds);
const late = await health();
isOver = true;
await Promise.all(attackers);
await service.stop();
report();

/** @param {number} place */
async function attack(place) {
  for (let turn = place; !isOver; turn++) {
    const { name, sql } = dearTexts[turn % dearTexts.length] ?? { name: '', sql: '' };
    const answer = await post(`${sql} -- ${asked++}`, tokens.hostile);
    const end = `${name}: ${answer?.status ?? 'no answer'}`;
    ends[end] = (ends[end] ?? 0) + 1;
  }
}

/** How long the other token's query took, in milliseconds. */
async function victim() {
  const start = performance.now();
  const answer = await post(`select ${asked++} as n`, tokens.cheap);
  if (answer?.status !== 200) throw new Error(`select 1: ${answer?.status} ${answer?.body}`);
  return performance.now() - start;
}

/** @param {string} sql @param {string} token */
function post(sql, token) {
  const body = new URLSearchParams({ project: 'bluefin', sql }).toString();
  const headers = { 'x-api-key': token, 'content-type': 'application/x-www-form-urlencoded' };
  return ask(service.url, { method: 'POST', path: '/api/endpoints/query/logs.all', headers, body });
}

/** @param {number} seconds */
async function measure(seconds) {
  /** @type {number[]} */
  const times = [];
  const end = performance.now() + seconds * 1_000;
  while (performance.now() < end) {
    times.push(await victim());
    await sleep(pauseMs);
  }
  times.sort((one, other) => one - other);
  const at = (/** @type {number} */ part) =>
    Math.round((times[Math.floor(part * times.length)] ?? 0) * 10) / 10;
  return { queries: times.length, p50Ms: at(0.5), p90Ms: at(0.9), mostMs: at(0.9999) };
}

/** Asks for health from a process of its own; the function that comes back ends that and reads what it found. */
function watchHealth() {
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
  const times = Math.round((busy.p50Ms / idle.p50Ms) * 100) / 100;
  console.log(JSON.stringify({ idle, busy, times, health: late, ends }, undefined, 2));
  if (times >= mostTimes) console.error(`select 1 takes ${times} times its idle median`);
  if (!(late.p99Ms < mostHealthMs)) console.error(`/health p99 is ${late.p99Ms} ms`);
  process.exit(times < mostTimes && late.failed === 0 && late.p99Ms < mostHealthMs ? 0 : 1);
}
