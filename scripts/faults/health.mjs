import { readFileSync } from 'node:fs';
import { Agent, get } from 'node:http';

// Probes /health of a service and of a bare server, alternating every 20 ms:
// node scripts/faults/health.mjs <url> <pid> <bare url> <bare pid>. Prints response times as JSON on
// SIGTERM, in milliseconds: as measured, and without the time for which the machine kept this process
// (seen by a tick every 5 ms) or the server's main thread (seen in its schedstat) from running. Another
// test checks that engine processes have a lower priority than the server, so those waits are caused
// by other programs.

const [service = '', pid = '', bare = '', pidOfBare = ''] = process.argv.slice(2);
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
/** Milliseconds as measured, and without waiting for the CPU. @typedef {{ readonly measured: number, readonly own: number }} Time */
/** @type {Time[]} */
const times = [];
/** @type {Time[]} */
const timesOfBare = [];
let failed = 0;
let lastTick = performance.now();
/** The longest delay of a tick since the current request began. */
let stall = 0;

setInterval(tick, 5);

process.on('SIGTERM', () => {
  const report = {
    requests: times.length,
    failed,
    ...summarize(times),
    bare: summarize(timesOfBare),
  };
  process.stdout.write(`${JSON.stringify(report)}\n`, () => process.exit(0));
});

for (;;) {
  await measure(service, pid, times);
  await measure(bare, pidOfBare, timesOfBare);
}

/** @param {readonly Time[]} all */
function summarize(all) {
  const own = all.map((time) => time.own);
  const measured = all.map((time) => time.measured);
  return {
    p50Ms: quantile(own, 0.5),
    p99Ms: quantile(own, 0.99),
    maxMs: quantile(own, 0.9999),
    measuredP99Ms: quantile(measured, 0.99),
  };
}

/**
 * @param {readonly number[]} times
 * @param {number} fraction
 */
function quantile(times, fraction) {
  const sorted = times.toSorted((one, other) => one - other);
  return Math.round((sorted[Math.floor(fraction * sorted.length)] ?? 0) * 10) / 10;
}

/**
 * The time that the main thread of a process has waited for a CPU, in milliseconds; see sched-stats.rst in
 * the kernel's documentation.
 * @param {string} pid
 */
function cpuWaitMs(pid) {
  const [, nanoseconds = '0'] = readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ');
  return Number(nanoseconds) / 1e6;
}

/** Notes how much later than planned this process was woken. */
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
  const waited = cpuWaitMs(pid);
  const start = performance.now();
  const status = await requestHealth(url);
  const measured = performance.now() - start;
  tick();
  const own = Math.max(0, measured - Math.max(stall, cpuWaitMs(pid) - waited));
  if (status === 200) into.push({ measured, own });
  else failed++;
  await new Promise((resolve) => setTimeout(resolve, 20));
}

/**
 * @param {string} url
 * @returns {Promise<number>} the status, or 0 if the request failed
 */
function requestHealth(url) {
  return new Promise((resolve) => {
    get(`${url}/health`, { agent }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    }).on('error', () => resolve(0));
  });
}
