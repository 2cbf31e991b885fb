import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { addressOf } from './address-of.mjs';
import { ask } from './faults/ask.mjs';
import { readAnswer } from './faults/judge.mjs';
import { kinds } from './faults/kinds.mjs';
import { childrenOf, stateOf } from './faults/processes.mjs';
import { startService, tokens } from './faults/service.mjs';
import { createRandom } from './fixtures/random.mjs';

// Mixed load on a started service while its engine processes are killed: npm run faults -- --seconds 60.
// A finding is an answer that is none of the contract's or not the right one, a failure that no kill
// explains, health that is late, and whatever is left when the load has ended: a statement, an open
// file, a process, memory, a folder. Prints the seed and totals; exit code 1 on a finding.

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
  console.error('the fault test finds engine processes in /proc, which is not there');
  process.exit(2);
}

const root = new URL('..', import.meta.url).pathname;
const random = createRandom(seed);
/** How many ask at a time, of each caller; who leaves sends what the others send. */
const workers = { cheap: 2, dear: 2, hostile: 5, leaving: 3 };
/** A kill is seen by who asks up to this much later, in milliseconds. */
const afterKillMs = 1_000;

const mostHealthMs = 100;

/** @type {string[]} */
const findings = [];
/** @type {Record<string, number>} */
const totals = {};
/** @type {number[]} */
const kills = [];

console.log(`seed ${seed}, ${seconds} s`);
const service = await startService(root);
const idle = await idleState();
const known = await answersBefore();
const bare = spawn(process.execPath, [join(root, 'scripts/faults/bare.mjs')]);
const servers = [service.url, `${service.pid}`, await addressOf(bare.stdout), `${bare.pid}`];
const health = spawn(process.execPath, [join(root, 'scripts/faults/health.mjs'), ...servers]);
process.on('exit', () => [bare, health].map((one) => one.kill('SIGKILL')));
const end = performance.now() + seconds * 1_000;
await Promise.all([...Object.keys(workers).flatMap(workersOf), killer()]);
await finish();

/** Once nothing has run yet. */
async function idleState() {
  for (let turn = 0; turn < 3; turn++) await ask(service.url, { path: '/metrics' });
  return stateOf(service.pid);
}

/** Of each kind whose answers are all alike, the answer of a service that has nothing else to do. */
async function answersBefore() {
  const answers = new Map();
  for (const kind of kinds) {
    if (kind.caller === 'hostile' && !kind.alike) continue;
    const answer = await send(kind, kind.caller);
    if (answer === undefined) throw new Error(`no answer to ${kind.name}`);
    const { says, text } = readAnswer(answer);
    if (!kind.gives.includes(says)) findings.push(`${kind.name} before the load: ${says} ${text}`);
    answers.set(kind.name, text);
  }
  return answers;
}

/** @param {string} caller */
function workersOf(caller) {
  const name = /** @type {keyof typeof workers} */ (caller);
  const own = kinds.filter((kind) => name === 'leaving' || kind.caller === name);
  return Array.from({ length: workers[name] }, async () => {
    while (performance.now() < end) await round(name, random.any(own));
  });
}

/**
 * @param {keyof typeof workers} caller
 * @param {typeof kinds[number]} kind
 */
async function round(caller, kind) {
  if (caller === 'leaving') {
    await send(kind, caller, { afterMs: random.integer(0, 400), part: random.any([0.3, 1]) });
    return count('left');
  }
  const answer = await send(kind, caller);
  if (answer === undefined) return findings.push(`${kind.name}: no answer`);
  const { requestId, beganAt, body } = answer;
  try {
    const { says, text, message } = readAnswer(answer);
    count(`${caller} ${says}`);
    judge(kind, { says, text, message, beganAt });
  } catch (error) {
    findings.push(`${kind.name}: ${error} ${requestId} ${body.subarray(0, 500)}`);
  }
}

/**
 * @param {typeof kinds[number]} kind
 * @param {keyof typeof tokens} caller
 * @param {Parameters<typeof ask>[2]} [leave]
 */
function send(kind, caller, leave) {
  const asked = kind.make(random);
  const headers = { ...asked.headers, 'x-api-key': tokens[caller] };
  return ask(service.url, { ...asked, headers }, leave);
}

/**
 * @param {typeof kinds[number]} kind
 * @param {import('./faults/judge.mjs').Known & { readonly beganAt: number }} answer
 */
function judge(kind, { says, text, message, beganAt }) {
  if (!kind.gives.includes(says)) {
    const why = mayBe(kind, says, { message, beganAt });
    if (!why) findings.push(`${kind.name}: ${says} ${message}`);
  } else if (kind.alike && text !== (known.get(kind.name) ?? text)) {
    findings.push(`${kind.name}: another answer: ${text.slice(0, 500)}`);
  }
}

/**
 * What an answer may be because of what else goes on.
 * @param {typeof kinds[number]} kind
 * @param {string} says
 * @param {{ readonly message: string, readonly beganAt: number }} answer
 */
function mayBe({ caller }, says, { message, beganAt }) {
  const wasKilled = kills.some((at) => at > beganAt - afterKillMs);
  if (says === '500 internalError') return wasKilled;
  if (says === '503 backendBusy') {
    return message.includes('--max-queued-queries') ? caller !== 'cheap' : wasKilled;
  }
  // Two cores may be too few for what two seconds are enough for alone.
  if (says === '504 timeout') return true;
  return (
    says === '400 resourcesExceeded' && /ended its engine process|--memory-limit/.test(message)
  );
}

/** @param {string} what */
function count(what) {
  totals[what] = (totals[what] ?? 0) + 1;
}

async function killer() {
  while (performance.now() < end) {
    await sleep(random.integer(500, 2_000));
    const engines = childrenOf(service.pid);
    if (engines.length === 0) continue;
    process.kill(random.any(engines), 'SIGKILL');
    kills.push(performance.now());
  }
}

async function finish() {
  const late = await healthOf();
  const after = await settle();
  const left = await service.stop();
  if (left.code !== 0) findings.push(`the service ended with ${left.code}`);
  if (left.files.length > 0) findings.push(`left: ${left.files}`);
  if (left.processes.length > 0) findings.push(`left: processes ${left.processes}`);
  const failures = totalOf('500 internalError');
  // Two callers may share one computation.
  if (failures > 2 * kills.length) findings.push(`${failures} failures, ${kills.length} kills`);
  for (const line of service.errors) if (!line.includes('ended by SIGKILL')) findings.push(line);
  const most = service.mostMegabytes();
  console.log(
    JSON.stringify({
      seed,
      kills: kills.length,
      failures,
      totals,
      health: late,
      idle,
      after,
      most,
    }),
  );
  for (const finding of findings.slice(0, 30)) console.error(finding);
  process.exit(findings.length === 0 ? 0 : 1);
}

/** @param {string} says */
function totalOf(says) {
  const rows = Object.entries(totals).filter(([name]) => name.endsWith(says));
  return rows.reduce((sum, [, times]) => sum + times, 0);
}

/** What is left a while after the load, which must be what there was before. */
async function settle() {
  await until('no statement waits or runs', 10_000, async () => {
    const metrics = (await ask(service.url, { path: '/metrics' }))?.body.toString() ?? '';
    return ['queue_length 0', 'engine_running 0'].every((line) => metrics.includes(`_${line}\n`));
  });
  // What follows takes half a minute.
  if (flags.brief) return stateOf(service.pid);
  // A process goes when it has not worked for half a minute, and is looked at every ten seconds.
  await until('one engine process is left', 60_000, () => stateOf(service.pid).engines === 1);
  await until('open files are as before', 10_000, () => {
    const { files, filesOfEngine } = stateOf(service.pid);
    return files <= idle.files && filesOfEngine <= idle.filesOfEngine + 2;
  });
  // A heap that has grown keeps some; a spare keeps at most half as much again as it had.
  await until('memory is as before', 15_000, () => {
    const { megabytes, megabytesOfEngine } = stateOf(service.pid);
    const most = (/** @type {number} */ before) => before * 1.5 + 50;
    return megabytes <= most(idle.megabytes) && megabytesOfEngine <= most(idle.megabytesOfEngine);
  });
  return stateOf(service.pid);
}

/**
 * @param {string} what
 * @param {number} mostMs
 * @param {() => boolean | Promise<boolean>} isSo
 */
async function until(what, mostMs, isSo) {
  const last = performance.now() + mostMs;
  while (!(await isSo())) {
    if (performance.now() > last) {
      findings.push(`not so after ${mostMs} ms: ${what}: ${JSON.stringify(stateOf(service.pid))}`);
      return;
    }
    await sleep(200);
  }
}

/** Late is what is not as late at a server that does nothing else. */
async function healthOf() {
  health.kill('SIGTERM');
  let text = '';
  for await (const chunk of health.stdout) text += chunk;
  const found = JSON.parse(text);
  const isLate = !(found.p99Ms < mostHealthMs + found.bare.p99Ms);
  if (found.failed > 0 || isLate) findings.push(`/health was late: ${text.trim()}`);
  return found;
}
