import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { killOnExit } from './bench/kill-on-exit.mjs';
import { sendRequest } from './faults/send-request.mjs';
import { startService, tokens } from './faults/service.mjs';
import { attacks, counting, recordCount } from './starvation/attacks.mjs';
import { writeRecords } from './starvation/records.mjs';
import { waitForAddress } from './wait-for-address.mjs';

// Starvation test: one token sends requests of one kind on eight connections, a kind after another:
// npm run starvation -- --seconds 5. Measures how much that slows down `select count(*)` of another token, and /health.
// Prints a table; exits with code 1 if a limit is exceeded.

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '5' },
    only: { type: 'string' },
    'max-slowdown': { type: 'string', default: '3' },
    connections: { type: 'string', default: '8' },
  },
});
const seconds = Number(flags.seconds);
/** The other token's median under an attack may be this many times its idle median. */
const maxSlowdown = Number(flags['max-slowdown']);
const wanted = flags.only?.split(';') ?? attacks.map(({ name }) => name);
const chosen = attacks.filter(({ name }) => wanted.includes(name));
if (!(seconds > 0 && maxSlowdown > 0 && chosen.length === wanted.length)) {
  console.error(
    'usage: npm run starvation -- [--seconds N] [--only NAME;…] [--max-slowdown N] [--connections N]',
  );
  console.error(`the names: ${attacks.map(({ name }) => name).join('; ')}`);
  process.exit(2);
}

/** The other token's median under an attack may be this many times its median under an attack of `select count(*)`. */
const maxOverCounting = 1.25;
const maxHealthMs = 50;
/** The pause between two queries of the victim, in milliseconds. */
const pauseMs = 20;

const root = new URL('..', import.meta.url).pathname;
const data = mkdtempSync(join(tmpdir(), 'starvation-log-endpoints-'));
process.on('exit', () => rmSync(data, { recursive: true, force: true }));
await writeRecords(data, recordCount);
const service = await startService(root, { data, flags: ['--watch'] });
const bare = spawn(process.execPath, [join(root, 'scripts/faults/bare.mjs')]);
const addressOfBare = await waitForAddress(bare.stdout);
process.on('exit', () => bare.kill('SIGKILL'));

/** Makes each query text unique, so that none is found in a cache. */
let requestCount = 0;
for (let turn = 0; turn < 50; turn++) await timeVictimQuery();
const healthProbe = startChild('faults/health.mjs', [
  ...[service.url, `${service.pid}`],
  ...[addressOfBare, `${bare.pid}`],
]);
const reference = await measureAttack(counting);
/** @type {Measured[]} */
const measured = [];
for (const attack of chosen) measured.push(await measureAttack(attack));
const health = await healthProbe.stop();
await service.stop();
process.exit(report() ? 0 : 1);

/**
 * Medians of the other token's query in milliseconds, before and under an attack.
 * @typedef {object} Measured
 * @property {string} name
 * @property {number} idleMs
 * @property {number} busyMs
 * @property {number} maxMs the longest one under the attack
 * @property {Readonly<Record<string, number>>} statuses of the answers to the attacker
 */

/** @param {import('./starvation/attacks.mjs').Attack} attack @returns {Promise<Measured>} */
async function measureAttack({ name }) {
  const idle = await measure(Math.min(seconds, 2));
  const attacker = startChild('starvation/attacker.mjs', [
    ...[service.url, tokens.hostile, name, flags.connections],
  ]);
  await sleep(Math.min(seconds * 250, 1_000));
  const busy = await measure(seconds);
  const statuses = await attacker.stop();
  // The requests that the attacker has left in the queues end meanwhile.
  await sleep(Math.min(seconds * 250, 1_000));
  return { name, idleMs: idle.medianMs, busyMs: busy.medianMs, maxMs: busy.maxMs, statuses };
}

/** The time of one query of the other token, in milliseconds. */
async function timeVictimQuery() {
  const start = performance.now();
  const sql = `select count(*) as n, ${requestCount++} as m from edge_logs`;
  const answer = await sendRequest(service.url, {
    method: 'POST',
    path: '/api/endpoints/query/logs.all',
    headers: {
      'x-api-key': tokens.cheap,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: new URLSearchParams({ project: 'bluefin', sql }).toString(),
  });
  if (answer?.status !== 200) throw new Error(`the victim: ${answer?.status} ${answer?.body}`);
  return performance.now() - start;
}

/** Times queries of the other token. @param {number} forSeconds */
async function measure(forSeconds) {
  /** @type {number[]} */
  const times = [];
  const end = performance.now() + forSeconds * 1_000;
  while (performance.now() < end) {
    times.push(await timeVictimQuery());
    await sleep(pauseMs);
  }
  times.sort((one, other) => one - other);
  return { medianMs: times[Math.floor(times.length / 2)] ?? 0, maxMs: times.at(-1) ?? 0 };
}

/** Starts a script that works until SIGTERM; `stop` reads the JSON that it prints then. @param {string} script @param {readonly string[]} args */
function startChild(script, args) {
  const child = spawn(process.execPath, [join(root, 'scripts', script), ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  killOnExit(child);
  return {
    async stop() {
      child.kill('SIGTERM');
      let text = '';
      for await (const chunk of child.stdout) text += chunk;
      return JSON.parse(text);
    },
  };
}

/** Prints the table and what exceeds a limit; returns whether nothing does. */
function report() {
  const rows = [reference, ...measured].map((one) => [
    one.name,
    one.idleMs.toFixed(1),
    one.busyMs.toFixed(1),
    (one.busyMs / one.idleMs).toFixed(1),
    one.maxMs.toFixed(0),
    Object.entries(one.statuses)
      .map(([status, count]) => `${status}: ${count}`)
      .join(', '),
  ]);
  const head = ['attack', 'idle ms', 'busy ms', 'times', 'max ms', 'answers to the attacker'];
  for (const row of [head, ...rows]) {
    const [name = '', ...others] = row;
    const answers = others.pop();
    console.log(`${name.padEnd(24)}${others.map((one) => one.padStart(9)).join('')}  ${answers}`);
  }
  console.log(JSON.stringify({ health }));
  const faults = [...measured.flatMap(attackFaults), ...healthFaults()];
  for (const fault of faults) console.error(fault);
  return faults.length === 0;
}

/** @param {Measured} attack */
function attackFaults({ name, idleMs, busyMs, statuses }) {
  const maxMs = Math.max(maxSlowdown * idleMs, maxOverCounting * reference.busyMs);
  const answered = Object.values(statuses).reduce((sum, count) => sum + count, 0);
  const slow = `${name}: select count(*) takes ${busyMs.toFixed(1)} ms, more than ${maxMs.toFixed(1)}`;
  return [
    ...(busyMs > maxMs ? [slow] : []),
    ...(answered > 0 ? [] : [`${name}: no request was answered`]),
  ];
}

function healthFaults() {
  const isFine = health.failed === 0 && health.p99Ms < maxHealthMs;
  return isFine ? [] : [`/health: ${health.failed} failed, p99 is ${health.p99Ms} ms`];
}
