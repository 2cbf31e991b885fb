import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createRandom } from './fixtures/built.mjs';
import { canaries, project, writeCanaryLogs } from './fixtures/canary.mjs';
import { lqlCorpus, mixedCorpus, probingCorpus, sqlCorpus } from './fuzz/corpus.mjs';
import { mutateTokens, mutateTree, strangeNames } from './fuzz/mutate.mjs';
import { isFailure, listFiles, startService } from './fuzz/service.mjs';
import { startWorlds } from './fuzz/worlds.mjs';

// Fuzzer: sends mutated queries to a service over logs of several projects: npm run fuzz -- --seconds 60.
// These are findings: an answer with another project's values or a secret, status 500 (a bug, whatever
// the query), a query that gets no answer in time twice, a repeatedly slow /health, and a changed file or setting. Other queries go to
// two services whose logs differ only in other projects' records: different answers are a finding, too;
// --single leaves these two out.
// Prints the seed, totals and each finding with its query; exits with code 1 on a finding.

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    single: { type: 'boolean', default: false },
  },
});
const seconds = Number(flags.seconds);
const seed = Number(flags.seed ?? Date.now() % 2 ** 31);
if (!(seconds > 0 && Number.isInteger(seed))) {
  console.error('usage: npm run fuzz -- [--seconds N] [--seed S] [--single]');
  process.exit(2);
}

const root = new URL('..', import.meta.url).pathname;
/** @type {typeof import('../src/compiler/syntax/syntax.js')} */
const { parse } = await import(join(root, 'build/compiler/syntax/syntax.js'));
/** @type {typeof import('../src/compiler/syntax/print-googlesql.js')} */
const { printGoogleSql } = await import(join(root, 'build/compiler/syntax/print-googlesql.js'));
/** @type {typeof import('../src/compiler/functions/functions.js')} */
const { functionNames } = await import(join(root, 'build/compiler/functions/functions.js'));

const secret = 'SECRET_c41e9b';
const folder = mkdtempSync(join(tmpdir(), 'fuzz-log-endpoints-'));
const [data, temporary] = ['data', 'temporary'].map((name) => join(folder, name));
for (const path of [data, temporary]) mkdirSync(path ?? folder);
const secretFile = join(folder, 'secret.csv');
writeFileSync(secretFile, `${secret}\n`);
writeCanaryLogs(data ?? folder, { declarations: join(root, 'sql/sources'), withOthers: true });
strangeNames.push(secretFile, '/proc/self/environ', 'FUZZ_SECRET', ...functionNames());

const random = createRandom(seed);
const corpus = [...sqlCorpus(root), ...mixedCorpus(root)];
const probing = probingCorpus(root);
const lql = lqlCorpus(root);
const totals = { sent: 0, answered: 0, refused: 0, timeouts: 0, late: 0 };
/** @type {string[]} */
const findings = [];
const maxFindings = 30;
/** The kinds of internal errors reported so far. @type {Set<string>} */
const failureKinds = new Set();
/** Set while the service is restarting. @type {Promise<void> | undefined} */
let restarting;
const forbidden = [...canaries, secret.toLowerCase()];

console.log(`seed ${seed}, ${seconds} s, initial corpus of ${corpus.length} queries`);
const layout = random.any(/** @type {const} */ (['structs', 'lists', 'mixed']));
const worlds = flags.single
  ? undefined
  : await startWorlds({ root, seed, layout, onFailure: reportFailure });
let service = await start('0');
const healthProbe = spawn(process.execPath, [join(root, 'scripts/fuzz/health.mjs'), service.url]);
// Its files must not change from now on.
const [filesBefore, settingsBefore] = [listFiles(folder), await settings()];
const end = performance.now() + seconds * 1_000;
const comparisons = worlds === undefined ? [] : [compareIn(worlds), compareIn(worlds)];
await Promise.all(
  [fuzzOnce, ...comparisons].map(async (step) => {
    while (performance.now() < end && findings.length < maxFindings) await step();
  }),
);
await finish();

/** Starts the service on a port, or on any free one for `0`. @param {string} port */
function start(port) {
  return startService({ root, port, data: data ?? '', temporary: temporary ?? '', secret });
}

/** A mutation of one of the texts. @param {readonly string[]} from */
function mutateAny(from) {
  const [text, other] = [random.any(from), random.any(corpus)];
  const tools = { random, parse, print: printGoogleSql };
  const fromTree = random.chance(0.75) ? mutateTree(text, other, tools) : undefined;
  return fromTree ?? mutateTokens(text, other, random);
}

/** Sends one mutated query and checks the answer. */
async function fuzzOnce() {
  const sql = mutateAny(corpus);
  const answer = await ask(sql);
  if (answer === undefined) return retryLate(sql);
  totals.sent++;
  const { status, text } = answer;
  if (status === 200) totals.answered++;
  else if (status === 504) totals.timeouts++;
  else totals.refused++;
  // Keep some accepted queries, to mutate them further.
  if (status === 200 && sql.length < 1_500 && random.chance(0.1)) {
    corpus[random.integer(0, corpus.length - 1)] = sql;
  }
  const lower = text.toLowerCase();
  const leaked = forbidden.find((word) => lower.includes(word));
  if (leaked !== undefined) report(`the answer contains ${leaked}: ${text.slice(0, 500)}`, sql);
  if (isFailure(status)) {
    const [, id = ''] = /"requestId":"([^"]+)"/.exec(text) ?? [];
    reportFailure(await service.findErrorLine(id), sql);
  }
}

/** @param {string} sql */
function ask(sql) {
  return service.ask({ project, sql, ...randomWindow() });
}

function randomWindow() {
  const window = { iso_timestamp_start: '2026-03-01T00:00:00Z', iso_timestamp_end: '' };
  return random.chance(0.2) ? window : {};
}

/**
 * Sends one query to both worlds and compares the answers.
 * @param {import('./fuzz/worlds.mjs').Worlds} both
 */
function compareIn(both) {
  return async () => {
    const parameters = { ...(random.chance(0.1) ? randomLql() : randomSql()), ...randomWindow() };
    const answers = await both.compare(parameters, random.chance(0.25));
    if (answers !== undefined) report(`the worlds' answers differ:\n  ${answers}`, parameters);
  };
}

function randomLql() {
  return { lql: mutateTokens(random.any(lql), random.any(lql), random) };
}

/** A probing query, unchanged or mutated, or any mutated query. */
function randomSql() {
  if (random.chance(0.3)) return { sql: random.any(probing) };
  return { sql: mutateAny(random.chance(0.5) ? probing : corpus) };
}

/**
 * Repeats a late query on a restarted service: a busy machine may be late once.
 * @param {string} sql
 */
async function retryLate(sql) {
  totals.late++;
  restarting ??= service.stop().then(async () => {
    // At the same address, which the health probe keeps requesting.
    service = await start(new URL(service.url).port);
    restarting = undefined;
  });
  await restarting;
  if ((await service.ask({ project, sql })) === undefined) report('no answer in time, twice', sql);
}

/**
 * @param {string} problem
 * @param {unknown} request
 */
function report(problem, request) {
  findings.push(`${problem}\n  ${JSON.stringify(request)}`);
}

/**
 * Reports a status of 500 with its line of the log; only the first of each kind.
 * @param {string} line
 * @param {unknown} request
 */
function reportFailure(line, request) {
  const kind = engineErrorKind(line);
  if (failureKinds.has(kind)) return;
  failureKinds.add(kind);
  report(`status 500: ${line.slice(0, 900)}`, request);
}

/**
 * The engine's error message in a line of the log, without names and numbers.
 * @param {string} line
 */
function engineErrorKind(line) {
  const [, words = line] = /((?:\w+ )+Error: [^\\]{0,80})/.exec(line) ?? [];
  return words.replaceAll(/[\d"]+/g, '');
}

/** The answer to a fixed query that depends on the engine's settings and macros. */
async function settings() {
  const sql = `select cast(timestamp '2026-03-10 12:00:00Z' as string) as zone, 1 / 3 as f, format('%t', 1.5) as t,
    array(select coalesce(x, '-') from unnest(['b', null, 'a']) as x order by x) as sorted, upper('ß') as u, current_timestamp() as now`;
  return (await service.ask({ project, sql }))?.text ?? 'no answer';
}

async function finish() {
  const health = await stopHealthProbe();
  const compared = worlds && { layout, ...worlds.totals };
  if (worlds?.isBlind())
    findings.push(`too few answers were compared: ${JSON.stringify(compared)}`);
  await worlds?.stop();
  if (health.maxLateInARow >= 5)
    findings.push(`/health was repeatedly slow: ${JSON.stringify(health)}`);
  // A restarted service leaves files of its first run behind.
  if (totals.late === 0) {
    const files = listFiles(folder);
    const changed = [
      ...filesBefore.filter((file) => !files.includes(file)).map((file) => `- ${file}`),
      ...files.filter((file) => !filesBefore.includes(file)).map((file) => `+ ${file}`),
    ];
    if (changed.length > 0) findings.push(`files changed:\n  ${changed.join('\n  ')}`);
  }
  const settingsAfter = await settings();
  if (!settingsAfter.startsWith('{"result"')) findings.push(`settings: ${settingsAfter}`);
  if (settingsAfter !== settingsBefore) {
    findings.push(`settings changed: ${settingsBefore} -> ${settingsAfter}`);
  }
  await service.stop();
  rmSync(folder, { recursive: true });
  const counts = { ...totals, worlds: compared, failures: [...failureKinds], health };
  console.log(JSON.stringify({ seed, ...counts, findings: findings.length }));
  for (const finding of findings) console.error(finding);
  process.exitCode = findings.length === 0 ? 0 : 1;
}

/** @returns {Promise<{ requests: number, maxMs: number, late: number, maxLateInARow: number }>} */
async function stopHealthProbe() {
  healthProbe.kill('SIGTERM');
  let text = '';
  for await (const chunk of healthProbe.stdout) text += chunk;
  return JSON.parse(text);
}
