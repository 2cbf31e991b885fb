import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { startService, tokens } from './faults/service.mjs';
import { createRandom } from './fixtures/built.mjs';
import { ask, isSame, tableQuestions } from './odd-records/answers.mjs';
import { damage, drawHabits, randomObject } from './odd-records/random-line.mjs';
import { readSources, recordTime } from './odd-records/sources.mjs';

// Odd records: npm run odd-records -- --seconds 60. Under --watch, one project writes random records into some sources, while
// another one asks every source for its own. These are findings: an answer of the other project that changes, a record of
// a third project in another source that is not visible within five seconds of being written, an error in the log, and a
// restart that fails or answers otherwise. Prints the seed, totals and findings; exits with code 1 on a finding.

const { values: flags } = parseArgs({
  options: {
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string' },
    'max-visible': { type: 'string', default: '5' },
    keep: { type: 'string' },
  },
});
const seconds = Number(flags.seconds);
const seed = Number(flags.seed ?? Date.now() % 2 ** 31);
if (!(seconds > 0 && Number.isInteger(seed))) {
  console.error(
    'usage: npm run odd-records -- [--seconds N] [--seed S] [--max-visible SECONDS] [--keep DIR]',
  );
  process.exit(2);
}

/** The time that a line may take to be visible, in milliseconds. */
const maxVisibleMs = 1_000 * Number(flags['max-visible']);
const maxFindings = 20;
const root = new URL('..', import.meta.url).pathname;
const random = createRandom(seed);
const sources = readSources(root);
const all = tableQuestions(sources.map(({ name }) => name));
// In a short run, each of them would be asked only before and after.
const questions = all.filter((_, at) => at % Math.max(1, Math.round(120 / seconds)) === 0);
const data = flags.keep ?? mkdtempSync(join(tmpdir(), 'odd-records-log-endpoints-'));
process.on(
  'exit',
  () => flags.keep === undefined && rmSync(data, { recursive: true, force: true }),
);
const firstOdd = random.integer(0, 2);
/** A third of the sources, which get odd records; the others must not wait for them. */
const oddSources = sources.filter((_, at) => at % 3 === firstOdd);
const plainSources = sources.filter((source) => !oddSources.includes(source));
const totals = { lines: 0, bytes: 0, questions: 0, probes: 0, slowestProbeMs: 0, wideSources: 0 };
/** @type {string[]} */
const findings = [];
console.log(`seed ${seed}, ${seconds} s`);

for (const source of sources) writeFileSync(sourceFile(source), ownLines(source));
let service = await start();
/** @type {Map<string, import('./odd-records/answers.mjs').Answer>} */
const before = new Map();
for (const question of questions)
  before.set(question.name, await ask(service.url, tokens.cheap, question));
const refused = questions
  .filter(({ name }) => before.get(name)?.status !== 200)
  .map(({ name }) => name);
if (refused.length > 0) throw new Error(`no answer at the start: ${refused.join(', ')}`);

const end = performance.now() + 1_000 * seconds;
await Promise.all([writeOddly, compareAnswers, probe].map(repeat));
await stop();
await answerAgain().catch((error) => report(`the restart fails: ${error}`));
console.log(JSON.stringify(totals));
for (const finding of findings) console.log(finding);
process.exit(findings.length === 0 ? 0 : 1);

/** @param {import('./odd-records/sources.mjs').Source} source */
function sourceFile({ name }) {
  return join(data, `${name}.ndjson`);
}

/** Lines of `acme`: with an id and without, two elements in a list, half of an emoji, a field of their own. @param {import('./odd-records/sources.mjs').Source} source */
function ownLines({ record }) {
  const lines = Array.from({ length: 60 }, (_, n) => {
    const made = record('acme', n, { note: { text: `n${n}`, cut: '\ud83d' }, own_number: n });
    if (n % 3 === 0) made['id'] = `acme-${n}`;
    if (n % 7 === 0) made['metadata'] = [made['metadata']];
    return `${JSON.stringify(made)}\n`;
  });
  return lines.join('');
}

function start() {
  return startService(root, { data, flags: ['--watch', '--query-cache', '0'] });
}

/** @param {() => Promise<void>} step */
async function repeat(step) {
  while (performance.now() < end && findings.length < maxFindings) await step();
}

/** Writes a burst of lines of one kind to one source. */
async function writeOddly() {
  const source = random.any(oddSources);
  const habits = drawHabits(random, source.names);
  const lines = Array.from({ length: random.any([1, 1, 5, 50]) }, () => {
    const n = random.integer(0, 400);
    const usual = JSON.stringify(source.record('evil', n, {}));
    const odd = randomObject(random, habits);
    const where = random.any(['metadata', 'record', 'both']);
    const inside =
      where === 'record' ? usual : usual.replace(/"metadata":\{/, `"metadata":{"evil":${odd},`);
    return damage(random, where === 'metadata' ? inside : inside.replace(/\}$/, `,"top":${odd}}`));
  });
  for (const line of lines) {
    appendFileSync(sourceFile(source), line);
    appendFileSync(sourceFile(source), '\n');
    totals.lines += 1;
    totals.bytes += line.length;
  }
  await sleep(random.integer(0, 400));
}

async function compareAnswers() {
  await compare(random.any(questions));
}

/** @param {import('./odd-records/answers.mjs').Question} question */
async function compare(question) {
  const change = await findChange(question);
  if (change !== undefined) report(change);
}

/** Describes how the answer differs from the first one; undefined if it does not. @param {import('./odd-records/answers.mjs').Question} question */
async function findChange(question) {
  totals.questions += 1;
  const first = before.get(question.name);
  const now = await ask(service.url, tokens.cheap, question);
  if (first === undefined || (await isSame(question, first, now))) return undefined;
  const [one, other] = [first, now].map(
    ({ status, body }) => `${status} ${body.toString('latin1')}`,
  );
  return `${question.name} has changed:\n  ${firstDifference(one ?? '', other ?? '')}`;
}

/** @param {string} one @param {string} other */
function firstDifference(one, other) {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return [one, other]
    .map((text) => JSON.stringify(text.slice(Math.max(0, at - 100), at + 200)))
    .join('\n  ');
}

/** Writes a plain record of a third project into a source without odd records, and waits until it is visible. */
async function probe() {
  const source = random.any(plainSources);
  const id = `probe-${totals.probes++}`;
  const made = { ...source.record('third', 0, {}), id, timestamp: recordTime(1_000) };
  appendFileSync(sourceFile(source), `\n${JSON.stringify(made)}\n`);
  const writtenMs = performance.now();
  const sql = `select count(*) as n from ${source.name} where id = '${id}'`;
  const question = { parameters: { project: 'third', sql }, headers: {} };
  for (;;) {
    const { body } = await ask(service.url, tokens.expensive, question);
    const waitedMs = performance.now() - writtenMs;
    totals.slowestProbeMs = Math.max(totals.slowestProbeMs, Math.round(waitedMs));
    if (body.toString() === '{"result":[{"n":1}]}') break;
    if (waitedMs > maxVisibleMs) {
      report(
        `${id} in ${source.name} is not visible after ${maxVisibleMs} ms: ${body.toString().slice(0, 300)}`,
      );
      break;
    }
    await sleep(50);
  }
  await sleep(300);
}

/**
 * After a restart, which loads everything anew, the answers are those from before. A fresh load chooses from the files alone which
 * undeclared fields have types: where there are too many, the answers that show types may differ.
 */
async function answerAgain() {
  service = await start();
  /** @type {(readonly [import('./odd-records/answers.mjs').Question, string | undefined])[]} */
  const changes = [];
  for (const question of questions) changes.push([question, await findChange(question)]);
  // The log is complete only after the service has ended.
  await stop();
  const wide = service.warnings.flatMap((line) => /"(\w+): too many fields/.exec(line)?.[1] ?? []);
  totals.wideSources = new Set(wide).size;
  for (const [{ needsTypes, table }, change] of changes)
    if (change !== undefined && !(needsTypes && wide.includes(table))) report(change);
}

async function stop() {
  const { code, files, processes } = await service.stop();
  if (code !== 0) report(`the service ends with ${code}`);
  if (files.length > 0) report(`the service leaves ${files.join(', ')}`);
  if (processes.length > 0) report(`the service leaves ${processes.length} processes`);
  for (const line of service.errors) report(`the log has ${line.slice(0, 500)}`);
}

/** @param {string} finding */
function report(finding) {
  findings.push(finding);
}
