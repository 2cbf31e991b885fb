import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';

// Asks a service for its health, and a bare server beside it, every 20 ms in turn, in a process of its
// own: node scripts/faults/health.mjs <url> <pid> <url> <pid>. Prints on SIGTERM, as JSON, how late the
// answers of both were, in milliseconds: as measured, and without what the machine kept this process (a
// tick every 5 ms tells) and the server's own thread (its schedstat tells) from running. That engine
// processes give way to the server, so that it is other programs that do so, is tested elsewhere.

const [service = '', pid = '', bare = '', pidOfBare = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
/** @typedef {{ readonly taken: number, readonly own: number }} Time */
/** @type {Time[]} */
const times = [];
/** @type {Time[]} */
const timesOfBare = [];
let failed = 0;
let lastTick = performance.now();
/** The longest time between two ticks since the last request began. */
let stall = 0;

setInterval(tick, 5);

process.on('SIGTERM', () => {
  const found = { asked: times.length, failed, ...timesOf(times), bare: timesOf(timesOfBare) };
  process.stdout.write(`${JSON.stringify(found)}\n`, () => process.exit(0));
});

for (;;) {
  await measure(service, pid, times);
  await measure(bare, pidOfBare, timesOfBare);
}

/** @param {readonly Time[]} all */
function timesOf(all) {
  const own = all.map((time) => time.own);
  const taken = all.map((time) => time.taken);
  return {
    p50Ms: partOf(own, 0.5),
    p99Ms: partOf(own, 0.99),
    mostMs: partOf(own, 0.9999),
    measuredP99Ms: partOf(taken, 0.99),
  };
}

/**
 * @param {readonly number[]} times
 * @param {number} part
 */
function partOf(times, part) {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor(part * sorted.length)] ?? 0) * 10) / 10;
}

/**
 * How long the main thread of a process was ready to run and did not, in milliseconds.
 * @param {string} pid
 */
function waitOf(pid) {
  const [, nanoseconds = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

function tick() {
  const now = performance.now();
  stall = Math.max(stall, now - lastTick - 5);
  lastTick = now;
}

/**
 * @param {string} url
 * @param {string} pid
 * @param {Time[]} into
 */
async function measure(url, pid, into) {
  stall = 0;
  const waited = waitOf(pid);
  const start = performance.now();
  const status = await ask(url);
  const taken = performance.now() - start;
  tick();
  const own = Math.max(0, taken - Math.max(stall, waitOf(pid) - waited));
  if (status === 200) into.push({ taken, own });
  else failed++;
  await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * @param {string} url
 * @returns {Promise<number>}
 */
function ask(url) {
  return new Promise((resolve) => {
    get(`${url}/health`, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', () => resolve(0));
  });
}
