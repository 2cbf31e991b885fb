import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, printTable } from './bench/measure.mjs';
import { longQuery, questions } from './bench/queries.mjs';
import { edgeMessage, makeEdgeMetadata } from './fixtures/edge.mjs';
import { createRandom } from './fixtures/random.mjs';
import { printRecord } from './fixtures/record.mjs';
import { makeVisits } from './fixtures/visits.mjs';

// Measures the built program: npm run bench -- <records>. Each number is a median, and stands beside
// a baseline of the same run: times of two machines cannot be compared, ratios can.

/** @typedef {import('../src/cli/open-services.js').Opened} Opened */
/** @typedef {import('./bench/measure.mjs').Measured} Measured */

/** @type {typeof import('../src/config.js')} */
const { readCommand } = await built('config.js');
/** @type {typeof import('../src/cli/open-services.js')} */
const { openServices } = await built('cli/open-services.js');
/** @type {typeof import('../src/query/compile.js')} */
const { createCompiler } = await built('query/compile.js');
/** @type {typeof import('../src/engine/duckdb-engine.js')} */
const { openDuckDbEngine } = await built('engine/duckdb-engine.js');
/** @type {typeof import('../src/engine/lockdown.js')} */
const { openDatabase } = await built('engine/lockdown.js');
/** @type {typeof import('../src/engine/second-look.js')} */
const { createSecondLook } = await built('engine/second-look.js');
/** @type {typeof import('../src/engine/json-values.js')} */
const { joinRows } = await built('engine/json-values.js');
/** @type {typeof import('../src/endpoint/bind-statement.js')} */
const { bindStatement } = await built('endpoint/bind-statement.js');

const root = new URL('..', import.meta.url).pathname;
const now = '2026-03-10T12:00:00.000000+00:00';
const count = Number(process.argv[2] ?? 100_000);
if (!Number.isInteger(count) || count < 10) {
  console.error('usage: npm run bench -- <records, 10 or more>');
  process.exit(2);
}

const samples = await open(join(root, 'fixtures'));
const small = [
  ...(await compileTimes(samples)),
  await startTime(samples),
  ...(await lookTimes(samples)),
  ...(await answerTimes(samples, { runs: 40, name: 'fixtures' })),
];
await samples.engine.close();
const many = await openMany(count);
const large = [
  ...(await answerTimes(many, { runs: 15, name: `${count} records` })),
  ...(await redactedTimes(many, { runs: 15, name: `${count} records` })),
];
await many.engine.close();
console.log(printTable([...small, ...large]));

/** The types are those of the sources: what is built has none. @param {string} module */
function built(module) {
  return import(new URL(`../dist/${module}`, import.meta.url).href);
}

/** @param {string} folder @returns {Promise<Opened>} */
async function open(folder) {
  const command = readCommand(['query', 'logs.all', '--data', folder], {});
  if (command.verb !== 'query') throw new Error('not the verb');
  return openServices(command.settings, openDuckDbEngine);
}

/** @param {number} records of edge logs @returns {Promise<Opened>} */
async function openMany(records) {
  const folder = mkdtempSync(join(tmpdir(), 'log-endpoints-bench-'));
  try {
    writeEdgeLogs(join(folder, 'edge_logs'), records);
    return await open(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** In files of 50,000 records each. @param {string} folder @param {number} records */
function writeEdgeLogs(folder, records) {
  const random = createRandom(1);
  const visits = makeVisits(random, records);
  mkdirSync(folder);
  for (let from = 0; from < records; from += 50_000) {
    const lines = visits.slice(from, from + 50_000).map((visit) => {
      const metadata = makeEdgeMetadata(random, visit);
      const { at, project } = visit;
      const message = edgeMessage(visit);
      return printRecord(random, { source: 'edge_logs', at, project, message, metadata });
    });
    writeFileSync(join(folder, `${from}.ndjson`), `${lines.join('\n')}\n`);
  }
}

/** @param {Opened} opened @returns {Promise<readonly Measured[]>} */
async function compileTimes({ catalog, logs: { sources } }) {
  const endpoint = catalog.find('logs.all');
  const kept = createCompiler(sources);
  const asked = () => ({
    language: /** @type {const} */ ('sql'),
    text: `${longQuery} -- ${run++}`,
  });
  let run = 0;
  /** @type {readonly (readonly [what: string, target: number, ours: () => unknown, text: string])[]} */
  const works = [
    ['compile logs.all, cold', 2, () => createCompiler(sources).compile(endpoint), endpoint.sql],
    ['compile logs.all, kept', 0.02, () => kept.compile(endpoint), endpoint.sql],
    [`compile ${sizeOf(longQuery)}, cold`, 10, () => kept.compile(endpoint, asked()), longQuery],
  ];
  const lines = [];
  for (const [what, target, ours, text] of works) {
    const json = JSON.stringify(text);
    const times = await compare(300, ours, () => JSON.parse(json));
    lines.push({ what, against: 'JSON.parse of the text', target, ...times });
  }
  return lines;
}

/** @param {string} text */
function sizeOf(text) {
  return `${(text.length / 1000).toFixed(1)} KB`;
}

/** What the macros add to the opening of an engine. @param {Opened} opened @returns {Promise<Measured>} */
async function startTime({ logs: { databaseFile, sources } }) {
  /** @param {string} macros */
  const openAndClose = async (macros) => {
    const limits = { maxConcurrentQueries: 1, maxQueuedQueries: 1, queryTimeoutMs: 30_000 };
    const files = { databaseFile, sources, macros, maxResultBytes: 1_000_000, threads: 2 };
    await (await openDuckDbEngine({ ...files, ...limits })).close();
  };
  const macros = readFileSync(join(root, 'sql/bigquery.sql'), 'utf8');
  const times = await compare(
    15,
    () => openAndClose(macros),
    () => openAndClose(''),
  );
  const what = `open an engine: macros add ${(times.ours - times.baseline).toFixed(0)} ms`;
  return { what, against: 'without macros', target: times.baseline + 150, ...times };
}

/** The second look at a statement, which an engine takes before it runs it. @param {Opened} opened */
async function lookTimes({ catalog, compiler, engine, logs: { databaseFile, sources } }) {
  const macros = readFileSync(join(root, 'sql/bigquery.sql'), 'utf8');
  const limits = { maxConcurrentQueries: 1, maxQueuedQueries: 1, queryTimeoutMs: 30_000 };
  const files = { databaseFile, sources, macros, maxResultBytes: 1_000_000, threads: 2 };
  const database = await openDatabase({ ...files, ...limits });
  const connection = await database.instance.connect();
  const kept = createSecondLook(database.macros);
  const { signal } = new AbortController();
  const stored = catalog.find('logs.all');
  const { values = {} } = questions.find(({ what }) => what === stored.name) ?? {};
  const caller = { language: /** @type {const} */ ('sql'), text: longQuery };
  const lines = [];
  for (const [name, sandbox] of /** @type {const} */ ([
    [stored.name, undefined],
    [sizeOf(longQuery), caller],
  ])) {
    const { maxRows } = stored;
    const statement = bindStatement(compiler.compile(stored, sandbox), values, { maxRows, now });
    const run = () => engine.run(statement, { signal });
    const first = () => createSecondLook(database.macros)(connection, statement);
    const again = () => kept(connection, statement);
    const what = `second look at ${name}`;
    const against = 'the statement run';
    lines.push({ what: `${what}, first time`, against, ...(await compare(60, first, run)) });
    lines.push({ what: `${what}, kept`, against, ...(await compare(60, again, run)) });
  }
  connection.closeSync();
  database.instance.closeSync();
  return lines;
}

/**
 * @param {Opened} opened
 * @param {{ readonly runs: number, readonly name: string }} options
 * @returns {Promise<readonly Measured[]>}
 */
async function answerTimes({ catalog, compiler, engine, logs }, { runs, name }) {
  const byHands = await openByHand(logs);
  const { signal } = new AbortController();
  const lines = [];
  for (const { what, endpoint, values, sql, byHand } of questions) {
    const stored = catalog.find(endpoint);
    const sandbox =
      sql === undefined ? undefined : { language: /** @type {const} */ ('sql'), text: sql };
    const { maxRows } = stored;
    const ours = bindStatement(compiler.compile(stored, sandbox), values, { maxRows, now });
    const theirs = () => byHands.run(byHand, maxRows);
    const [one, other] = [await engine.run(ours, { signal }), await theirs()];
    if (one.rowCount !== other.rowCount) throw new Error(`${what}: not the same rows`);
    const times = await compare(runs, () => engine.run(ours, { signal }), theirs);
    lines.push({ what: `${what} (${one.rowCount} rows), ${name}`, against: 'by hand', ...times });
  }
  byHands.close();
  return lines;
}

/**
 * What redaction adds to the same answers.
 * @param {Opened} opened
 * @param {{ readonly runs: number, readonly name: string }} options
 * @returns {Promise<readonly Measured[]>}
 */
async function redactedTimes({ catalog, compiler, engine }, { runs, name }) {
  const { signal } = new AbortController();
  const lines = [];
  for (const { what, endpoint, values, sql } of questions) {
    const stored = catalog.find(endpoint);
    const sandbox =
      sql === undefined ? undefined : { language: /** @type {const} */ ('sql'), text: sql };
    const { maxRows } = stored;
    const [ours, plain] = [true, false].map((redact) => {
      const query = compiler.compile(stored, sandbox, { redact });
      const statement = bindStatement(query, values, { maxRows, now, redact });
      return () => engine.run(statement, { signal });
    });
    if (ours === undefined || plain === undefined) throw new Error('two statements');
    const times = await compare(runs, ours, plain);
    const target = what === 'logs.all' ? { target: 2 * times.baseline } : {};
    lines.push({ what: `${what}, redacted, ${name}`, against: 'plain', ...target, ...times });
  }
  return lines;
}

/** SQL written by hand runs beside the engine, which lets none of it in. @param {Opened['logs']} logs */
async function openByHand({ databaseFile, sources }) {
  const limits = { maxConcurrentQueries: 1, maxQueuedQueries: 1, queryTimeoutMs: 30_000 };
  const files = { databaseFile, sources, macros: '', maxResultBytes: 1_000_000 };
  const { instance } = await openDatabase({ ...files, ...limits, threads: availableParallelism() });
  return {
    /** @param {string} sql @param {number} maxRows */
    async run(sql, maxRows) {
      const connection = await instance.connect();
      const rows = (await connection.runAndReadAll(sql)).getRows().map(([row]) => String(row));
      connection.closeSync();
      return joinRows(rows, maxRows);
    },
    close: () => instance.closeSync(),
  };
}
