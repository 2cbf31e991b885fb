import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { canaries, project, writeCanaryLogs } from './fixtures/canary.mjs';
import { createRandom } from './fixtures/random.mjs';
import { lqlCorpus, sqlCorpus, tellingCorpus } from './fuzz/corpus.mjs';
import { mutateTokens, mutateTree, strangeNames } from './fuzz/mutate.mjs';
import { listing, startService } from './fuzz/service.mjs';
import { startWorlds } from './fuzz/worlds.mjs';

// Sends mutated queries to a started service over logs of two projects: npm run fuzz -- --seconds 60.
// A finding is an answer that holds another project's value or a secret, a 500, an answer that is late
// twice, a service that is late with its health again and again, and a file or a setting that has
// changed. Other queries go to two services whose logs differ in other projects' records alone: an
// answer that tells them apart is a finding, too.
// Prints the seed and totals; exit code 1 with the query on a finding.

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    small: { type: 'boolean', default: false },
  },
});
const seconds = Number(flags.seconds);
const seed = Number(flags.seed ?? Date.now() % 2 ** 31);
if (!(seconds > 0 && Number.isInteger(seed))) {
  console.error('usage: npm run fuzz -- [--seconds N] [--seed S] [--small]');
  process.exit(2);
}

const root = new URL('..', import.meta.url).pathname;
/** @type {typeof import('../src/compiler/syntax/syntax.js')} */
const { parse } = await import(join(root, 'dist/compiler/syntax/syntax.js'));
/** @type {typeof import('../src/compiler/syntax/print-googlesql.js')} */
const { printGoogleSql } = await import(join(root, 'dist/compiler/syntax/print-googlesql.js'));
/** @type {typeof import('../src/compiler/functions/functions.js')} */
const { functionNames } = await import(join(root, 'dist/compiler/functions/functions.js'));

const secret = 'SECRET_c41e9b';
const folder = mkdtempSync(join(tmpdir(), 'fuzz-log-endpoints-'));
const [data, temporary] = ['data', 'temporary'].map((name) => join(folder, name));
for (const path of [data, temporary]) mkdirSync(path ?? folder);
const secretFile = join(folder, 'secret.csv');
writeFileSync(secretFile, `${secret}\n`);
writeCanaryLogs(data ?? folder, { declarations: join(root, 'sql/sources'), withOthers: true });
strangeNames.push(secretFile, '/proc/self/environ', 'FUZZ_SECRET', ...functionNames());

const random = createRandom(seed);
const corpus = sqlCorpus(root);
const telling = tellingCorpus(root);
const lql = lqlCorpus(root);
const totals = { asked: 0, answered: 0, refused: 0, timeouts: 0, late: 0 };
/** @type {string[]} */
const findings = [];
const mostFindings = 30;
/** The kinds of failures that were reported. @type {Set<string>} */
const failures = new Set();
/** Queries that the service failed on: bugs, but none that anybody gains by. @type {string[]} */
const faults = [];
/** While the service is started again. @type {Promise<void> | undefined} */
let restarting;
const forbidden = [...canaries, secret.toLowerCase()];

console.log(`seed ${seed}, ${seconds} s, ${corpus.length} queries to begin with`);
const layout = random.any(/** @type {const} */ (['structs', 'lists', 'mixed']));
const worlds = await startWorlds({ root, seed, layout, isSmall: flags.small });
let service = await start('0');
const watcher = spawn(process.execPath, [join(root, 'scripts/fuzz/health.mjs'), service.url]);
const [filesBefore, settingsBefore] = [listing(folder), await settings()];
const end = performance.now() + seconds * 1_000;
await Promise.all(
  [round, compareWorlds, compareWorlds].map(async (next) => {
    while (performance.now() < end && findings.length < mostFindings) await next();
  }),
);
await finish();

/** @param {string} port */
function start(port) {
  return startService({ root, port, data: data ?? '', temporary: temporary ?? '', secret });
}

/** @param {readonly string[]} from */
function mutant(from) {
  const [text, other] = [random.any(from), random.any(corpus)];
  const byTree = { random, parse, print: printGoogleSql };
  const tree = random.chance(0.75) ? mutateTree(text, other, byTree) : undefined;
  return tree ?? mutateTokens(text, other, random);
}

async function round() {
  const sql = mutant(corpus);
  const answer = await ask(sql);
  if (answer === undefined) return lateAgain(sql);
  totals.asked++;
  const { status, text } = answer;
  if (status === 200) totals.answered++;
  else if (status === 504) totals.timeouts++;
  else totals.refused++;
  // What was accepted is mutated further.
  if (status === 200 && sql.length < 1_500 && random.chance(0.1)) {
    corpus[random.integer(0, corpus.length - 1)] = sql;
  }
  const lower = text.toLowerCase();
  const seen = forbidden.find((word) => lower.includes(word));
  if (seen !== undefined) report(`the answer holds ${seen}: ${text.slice(0, 500)}`, sql);
  if (status >= 500 && status !== 504 && status !== 503) await reportFailure(text, sql);
}

/** @param {string} sql */
function ask(sql) {
  return service.ask({ project, sql, ...someWindow() });
}

function someWindow() {
  const window = { iso_timestamp_start: '2026-03-01T00:00:00Z', iso_timestamp_end: '' };
  return random.chance(0.2) ? window : {};
}

/** Asks both worlds one query. */
async function compareWorlds() {
  const parameters = { ...(random.chance(0.1) ? anyLql() : anySql()), ...someWindow() };
  const answers = await worlds.compare(parameters, random.chance(0.25));
  if (answers !== undefined) report(`the worlds answer differently:\n  ${answers}`, parameters);
}

function anyLql() {
  return { lql: mutateTokens(random.any(lql), random.any(lql), random) };
}

/** A query made to tell, as it is or mutated, or any mutated one. */
function anySql() {
  if (random.chance(0.3)) return { sql: random.any(telling) };
  return { sql: mutant(random.chance(0.5) ? telling : corpus) };
}

/**
 * A machine with other work may be late once: the query is sent again to a fresh service.
 * @param {string} sql
 */
async function lateAgain(sql) {
  totals.late++;
  restarting ??= service.stop().then(async () => {
    // At its old address, where its health is asked for.
    service = await start(new URL(service.url).port);
    restarting = undefined;
  });
  await restarting;
  if ((await service.ask({ project, sql })) === undefined) report('no answer, twice', sql);
}

/**
 * @param {string} what
 * @param {unknown} asked
 */
function report(what, asked) {
  findings.push(`${what}\n  ${JSON.stringify(asked)}`);
}

/**
 * A status of 500, with what the log says of it; one of each kind is enough.
 * @param {string} text
 * @param {string} sql
 */
async function reportFailure(text, sql) {
  const [, id = ''] = /"requestId":"([^"]+)"/.exec(text) ?? [];
  await new Promise((resolve) => setTimeout(resolve, 50));
  const why = service.whyOf(id);
  const kind = kindOf(why);
  if (failures.has(kind)) return;
  failures.add(kind);
  faults.push(`status 500: ${why.slice(0, 900)}\n  ${JSON.stringify(sql)}`);
}

/**
 * The engine's own words in a line of the log, without names and numbers.
 * @param {string} line
 */
function kindOf(line) {
  const [, words = line] = /((?:\w+ )+Error: [^\\]{0,80})/.exec(line) ?? [];
  return words.replaceAll(/[\d"]+/g, '');
}

/** What the engine's settings and macros make of a fixed query. */
async function settings() {
  const sql = `select cast(timestamp '2026-03-10 12:00:00Z' as string) as zone, 1 / 3 as f, format('%t', 1.5) as t,
    array(select coalesce(x, '-') from unnest(['b', null, 'a']) as x order by x) as sorted, upper('ß') as u, current_timestamp() as now`;
  return (await service.ask({ project, sql }))?.text ?? 'no answer';
}

async function finish() {
  const health = await healthOf();
  const compared = { layout, ...worlds.totals };
  if (worlds.isBlind()) findings.push(`too little was compared: ${JSON.stringify(compared)}`);
  await worlds.stop();
  if (health.mostLateInARow >= 5) findings.push(`/health was late: ${JSON.stringify(health)}`);
  // A service that was started again has files of its own.
  if (totals.late === 0) {
    const files = listing(folder);
    if (files.join('\n') !== filesBefore.join('\n')) findings.push(`files changed: ${files}`);
  }
  const after = await settings();
  if (!after.startsWith('{"result"')) findings.push(`settings: ${after}`);
  if (after !== settingsBefore) findings.push(`settings changed: ${settingsBefore} -> ${after}`);
  await service.stop();
  rmSync(folder, { recursive: true });
  const counts = { ...totals, worlds: compared, failures: [...failures], health };
  console.log(JSON.stringify({ seed, ...counts, findings: findings.length }));
  for (const finding of findings) console.error(finding);
  for (const fault of faults) console.log(fault);
  process.exitCode = findings.length + faults.length === 0 ? 0 : 1;
}

/** @returns {Promise<{ asked: number, worstMs: number, late: number, mostLateInARow: number }>} */
async function healthOf() {
  watcher.kill('SIGTERM');
  let text = '';
  for await (const chunk of watcher.stdout) text += chunk;
  return JSON.parse(text);
}
