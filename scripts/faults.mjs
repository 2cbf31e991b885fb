import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { kinds } from './faults/kinds.mjs';
import { compileProcesses, engineProcesses, resourceUse } from './faults/processes.mjs';
import { readAnswer } from './faults/read-answer.mjs';
import { sendRequest } from './faults/send-request.mjs';
import { startService, tokens } from './faults/service.mjs';
import { createRandom } from './fixtures/built.mjs';
import { waitForAddress } from './wait-for-address.mjs';

// Fault test: puts a mixed load on a service while killing its engine and compile processes:
// npm run faults -- --seconds 60. These are findings: an invalid or wrong answer, any 500, a refusal that
// neither the load nor a kill explains, a slow /health, and anything leaked once the load has ended (statements, open files,
// processes, memory, temporary files). Prints the seed and totals; exits with code 1 on a finding.

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    brief: { type: 'boolean', default: false },
  },
});
const seconds = Number(flags.seconds);
const seed = Number(flags.seed ?? Date.now() % 2 ** 31);
if (!(seconds > 0 && Number.isInteger(seed))) {
  console.error('usage: npm run faults -- [--seconds N] [--seed S] [--brief]');
  process.exit(2);
}
if (!existsSync(`/proc/${process.pid}/task/${process.pid}/children`)) {
  console.error('the fault test finds engine processes in /proc, which this system does not have');
  process.exit(2);
}

const root = new URL('..', import.meta.url).pathname;
const random = createRandom(seed);
/** Concurrent requests of each caller; `aborting` sends the requests of all others and aborts them. */
const workers = { cheap: 2, expensive: 2, hostile: 5, aborting: 3 };
/** A kill may cause refusals of requests that begin up to this much later. */
const afterKillMs = 1_000;

const maxHealthMs = 100;

/** @type {string[]} */
const findings = [];
/** @type {Record<string, number>} */
const totals = {};
/** When processes were killed, as `performance.now()`. @type {number[]} */
const kills = [];

console.log(`seed ${seed}, ${seconds} s`);
const service = await startService(root);
const idle = await idleState();
const expected = await expectedAnswers();
const bare = spawn(process.execPath, [join(root, 'scripts/faults/bare.mjs')]);
const servers = [service.url, `${service.pid}`, await waitForAddress(bare.stdout), `${bare.pid}`];
const health = spawn(process.execPath, [join(root, 'scripts/faults/health.mjs'), ...servers]);
process.on('exit', () => [bare, health].map((child) => child.kill('SIGKILL')));
const end = performance.now() + seconds * 1_000;
await Promise.all([...Object.keys(workers).flatMap(startWorkers), killProcesses()]);
await finish();

/** Resource use before any query has run. */
async function idleState() {
  for (let turn = 0; turn < 3; turn++) await sendRequest(service.url, { path: '/metrics' });
  return resourceUse(service.pid);
}

/** The answers of an idle service, by kind of request. */
async function expectedAnswers() {
  const answers = new Map();
  for (const kind of kinds) {
    if (kind.caller === 'hostile' && !kind.isConstant) continue;
    const { outcome, text } = await firstAnswer(kind);
    if (!kind.outcomes.includes(outcome)) {
      findings.push(`${kind.name} before the load: ${outcome} ${text}`);
    }
    answers.set(kind.name, text);
  }
  return answers;
}

/**
 * The answer to a kind of request. A slow machine may exceed the time limit while engine processes start.
 * @param {typeof kinds[number]} kind
 */
async function firstAnswer(kind) {
  for (let attempt = 1; ; attempt++) {
    const answer = await send(kind, kind.caller);
    if (answer === undefined) throw new Error(`no answer to ${kind.name}`);
    const read = readAnswer(answer);
    if (read.outcome !== '504 timeout' || attempt === 10) return read;
  }
}

/** @param {string} caller */
function startWorkers(caller) {
  const name = /** @type {keyof typeof workers} */ (caller);
  const ownKinds = kinds.filter((kind) => name === 'aborting' || kind.caller === name);
  return Array.from({ length: workers[name] }, async () => {
    while (performance.now() < end) await sendAndJudge(name, random.any(ownKinds));
  });
}

/**
 * @param {keyof typeof workers} caller
 * @param {typeof kinds[number]} kind
 */
async function sendAndJudge(caller, kind) {
  if (caller === 'aborting') {
    await send(kind, caller, { afterMs: random.integer(0, 400), fraction: random.any([0.3, 1]) });
    return count('aborted');
  }
  const answer = await send(kind, caller);
  if (answer === undefined) return findings.push(`${kind.name}: no answer`);
  const { requestId, beganAt, body } = answer;
  try {
    const { outcome, text, message } = readAnswer(answer);
    count(`${caller} ${outcome}`);
    judge(kind, { outcome, text, message, beganAt });
  } catch (error) {
    findings.push(`${kind.name}: ${error} ${requestId} ${body.subarray(0, 500)}`);
  }
}

/**
 * @param {typeof kinds[number]} kind
 * @param {keyof typeof tokens} caller
 * @param {Parameters<typeof sendRequest>[2]} [abort]
 */
function send(kind, caller, abort) {
  const request = kind.make(random);
  const headers = { ...request.headers, 'x-api-key': tokens[caller] };
  return sendRequest(service.url, { ...request, headers }, abort);
}

/**
 * @param {typeof kinds[number]} kind
 * @param {import('./faults/read-answer.mjs').ReadAnswer & { readonly beganAt: number }} answer
 */
function judge(kind, { outcome, text, message, beganAt }) {
  if (!kind.outcomes.includes(outcome)) {
    const isExcused = isExcusedByLoad(kind, outcome, { message, beganAt });
    if (!isExcused) findings.push(`${kind.name}: ${outcome} ${message}`);
  } else if (kind.isConstant && text !== (expected.get(kind.name) ?? text)) {
    findings.push(
      `${kind.name}: the answer differs from that of an idle service: ${text.slice(0, 500)}`,
    );
  }
}

/**
 * Whether the load or a kill explains an outcome that an idle service would not have.
 * @param {typeof kinds[number]} kind
 * @param {string} outcome
 * @param {{ readonly message: string, readonly beganAt: number }} answer
 */
function isExcusedByLoad({ caller }, outcome, { message, beganAt }) {
  const wasKilled = kills.some((at) => at > beganAt - afterKillMs);
  if (outcome === '503 backendBusy') {
    return message.includes('--max-queued-queries') ? caller !== 'cheap' : wasKilled;
  }
  // Under load, any query may exceed the timeout.
  if (outcome === '504 timeout') return true;
  return (
    outcome === '400 resourcesExceeded' && /ended its engine process|--memory-limit/.test(message)
  );
}

/** @param {string} event */
function count(event) {
  totals[event] = (totals[event] ?? 0) + 1;
}

/** Kills a random engine or compile process every half to two seconds. */
async function killProcesses() {
  while (performance.now() < end) {
    await sleep(random.integer(500, 2_000));
    const processes = [...engineProcesses(service.pid), ...compileProcesses(service.pid)];
    if (processes.length === 0) continue;
    process.kill(random.any(processes), 'SIGKILL');
    kills.push(performance.now());
  }
}

async function finish() {
  const healthTimes = await stopHealthProbe();
  const after = await waitUntilIdle();
  const left = await service.stop();
  if (left.code !== 0) findings.push(`the service exited with ${left.code}`);
  if (left.files.length > 0) findings.push(`temporary files left: ${left.files}`);
  if (left.processes.length > 0) findings.push(`processes left: ${left.processes}`);
  for (const line of service.errors) if (!line.includes('ended by SIGKILL')) findings.push(line);
  console.log(
    JSON.stringify({
      seed,
      kills: kills.length,
      totals,
      health: healthTimes,
      idle,
      after,
      maxMegabytes: service.maxMegabytes(),
    }),
  );
  for (const finding of findings.slice(0, 30)) console.error(finding);
  process.exit(findings.length === 0 ? 0 : 1);
}

/** Waits until resource use is back to what it was before the load, and returns it. */
async function waitUntilIdle() {
  await waitFor('no statement waits or runs', 10_000, async () => {
    const metrics = (await sendRequest(service.url, { path: '/metrics' }))?.body.toString() ?? '';
    return ['queue_length 0', 'engine_running 0'].every((line) => metrics.includes(`_${line}\n`));
  });
  // The rest takes half a minute.
  if (flags.brief) return resourceUse(service.pid);
  // The pool closes a process after half a minute without work, and checks every ten seconds.
  await waitFor('one engine process is left', 60_000, () => resourceUse(service.pid).engines === 1);
  await waitFor('as many open files as before', 10_000, () => {
    const { files, filesOfEngine } = resourceUse(service.pid);
    return files <= idle.files && filesOfEngine <= idle.filesOfEngine + 2;
  });
  // A heap that has grown does not return all memory to the system.
  await waitFor('as much memory as before', 15_000, () => {
    const { megabytes, megabytesOfEngine } = resourceUse(service.pid);
    const limit = (/** @type {number} */ before) => before + 120;
    return megabytes <= limit(idle.megabytes) && megabytesOfEngine <= limit(idle.megabytesOfEngine);
  });
  return resourceUse(service.pid);
}

/**
 * Polls until a condition holds; reports a finding if it does not in time.
 * @param {string} what
 * @param {number} timeoutMs
 * @param {() => boolean | Promise<boolean>} isTrue
 */
async function waitFor(what, timeoutMs, isTrue) {
  const deadline = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadline) {
      const state = JSON.stringify(resourceUse(service.pid));
      findings.push(`not reached within ${timeoutMs} ms: ${what}: ${state}`);
      return;
    }
    await sleep(200);
  }
}

/** Reads the times of /health; a slow machine delays the bare server as well. */
async function stopHealthProbe() {
  health.kill('SIGTERM');
  let text = '';
  for await (const chunk of health.stdout) text += chunk;
  const times = JSON.parse(text);
  // A brief run has too few requests for a percentile.
  const isLate = !flags.brief && !(times.p99Ms < maxHealthMs + times.bare.p99Ms);
  if (times.failed > 0 || isLate) findings.push(`/health failed or was slow: ${text.trim()}`);
  return times;
}
