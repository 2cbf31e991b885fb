import { Agent, get } from 'node:http';

// Asks a service for its health, and a bare server beside it, every 20 ms in turn, in a process of its
// own: node scripts/faults/health.mjs <url> <url>. Prints on SIGTERM, as JSON, how late the answers of
// both were, in milliseconds. What this process itself was not run for while it waited is theirs of
// none: a tick every 5 ms tells, and is taken off.

const [service = '', bare = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
/** @type {number[]} */
const times = [];
/** @type {number[]} */
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
  await measure(service, times);
  await measure(bare, timesOfBare);
}

/** @param {number[]} all */
function timesOf(all) {
  const sorted = all.toSorted((one, other) => one - other);
  const at = (/** @type {number} */ part) =>
    Math.round((sorted[Math.floor(part * sorted.length)] ?? 0) * 10) / 10;
  return { p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(0.9999) };
}

function tick() {
  const now = performance.now();
  stall = Math.max(stall, now - lastTick - 5);
  lastTick = now;
}

/**
 * @param {string} url
 * @param {number[]} into
 */
async function measure(url, into) {
  stall = 0;
  const start = performance.now();
  const status = await ask(url);
  const taken = performance.now() - start;
  tick();
  if (status === 200) into.push(Math.max(0, taken - stall));
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
