import {
  compileHere,
  compileStatement,
  createCompiler,
  createStatementMemory,
  folderSettings,
  openDatabase,
  openDuckDbEngine,
  openServices,
  openVerifier,
  readMacros,
} from './built.mjs';
import { longQuery } from './long-query.mjs';
import { compare } from './measure.mjs';
import { queries } from './queries.mjs';

/** @typedef {import('./built.mjs').OpenedServices} OpenedServices */

/**
 * One part of the program and its baseline: medians in milliseconds.
 * @typedef {object} Measured
 * @property {string} what
 * @property {number} ours
 * @property {string} against what the baseline measures
 * @property {number} baseline
 * @property {number} [target] milliseconds
 */

const root = new URL('../..', import.meta.url).pathname;
const macros = readMacros();
const limits = {
  maxConcurrentQueries: 1,
  maxQueuedQueries: 1,
  queryTimeoutMs: 30_000,
  maxResultBytes: 1_000_000,
  threads: 2,
};

/**
 * Measures the compiler, opening an engine and verifying statements over the sample logs, and
 * redaction over the logs of the folder.
 * @param {string} folder
 * @param {string} memoryLimit
 */
export async function measureParts(folder, memoryLimit) {
  const samples = await openServices(
    folderSettings(`${root}fixtures`, memoryLimit),
    openDuckDbEngine,
  );
  const parts = [
    ...(await compileTimes(samples)),
    await startTime(samples),
    ...(await verifyTimes(samples)),
  ];
  await samples.engine.close();
  const opened = await openServices(folderSettings(folder, memoryLimit), openDuckDbEngine);
  const redacted = await redactedTimes(opened);
  await opened.engine.close();
  return [...parts, ...redacted];
}

/** @param {OpenedServices} opened @returns {Promise<readonly Measured[]>} */
async function compileTimes({ catalog, logs: { sources } }) {
  const endpoint = catalog.find('logs.all');
  const compiler = createCompiler(sources);
  const remembering = createStatementMemory().over(sources, compileHere(compiler));
  const options = { redact: false, signal: new AbortController().signal, caller: '' };
  let run = 0;
  // A new compiler would be cold too, but a tenth of the time would be its empty caches.
  const newEndpoint = () => ({ ...endpoint, sql: `${endpoint.sql} -- ${run++}` });
  const newQuery = () => ({
    language: /** @type {const} */ ('sql'),
    text: `${longQuery} -- ${run++}`,
  });
  /** @type {readonly (readonly [what: string, target: number, ours: () => unknown, text: string])[]} */
  const tasks = [
    ['compile logs.all, cold', 1.5, () => compiler.compile(newEndpoint()), endpoint.sql],
    [
      'compile logs.all, remembered',
      0.02,
      () => remembering(endpoint, undefined, options),
      endpoint.sql,
    ],
    [
      `compile ${kilobytesText(longQuery)}, cold`,
      7,
      () => compiler.compile(endpoint, newQuery()),
      longQuery,
    ],
  ];
  const lines = [];
  for (const [what, target, ours, text] of tasks) {
    const json = JSON.stringify(text);
    const times = await compare(300, ours, () => JSON.parse(json));
    lines.push({ what, against: 'JSON.parse of the text', target, ...times });
  }
  return lines;
}

/** @param {string} text */
function kilobytesText(text) {
  return `${(text.length / 1000).toFixed(1)} KB`;
}

/** Opening an engine with the macros prepared by the build, against binding them from their text. @param {OpenedServices} opened @returns {Promise<Measured>} */
async function startTime({ logs: { databaseFile, sources } }) {
  /** @param {string} text */
  const openAndClose = async (text) => {
    const engine = await openDuckDbEngine({ databaseFile, sources, macros: text, ...limits });
    await engine.close();
  };
  const times = await compare(
    15,
    () => openAndClose(macros),
    // The text differs from the build's, so the prepared macros are not used.
    () => openAndClose(`${macros};`),
  );
  return { what: 'open an engine', against: 'without prepared macros', target: 150, ...times };
}

/** Verifying a statement, which an engine does before it runs one. @param {OpenedServices} opened */
async function verifyTimes(opened) {
  const { engine, logs } = opened;
  const { databaseFile, sources } = logs;
  const database = await openDatabase({ databaseFile, sources, macros, ...limits });
  const connection = await database.instance.connect();
  const { verify } = await openVerifier(connection, database.macros);
  const { signal } = new AbortController();
  const [stored] = queries;
  if (stored === undefined) throw new Error('there is no query to run');
  const lines = [];
  let texts = 0;
  for (const { name, query, target } of [
    { name: 'logs.all', query: stored, target: 1.5 },
    { name: kilobytesText(longQuery), query: { ...stored, sql: longQuery }, target: undefined },
  ]) {
    const statement = compileStatement(opened, query);
    const run = () => engine.run(statement, { signal });
    const first = () => verify({ ...statement, sql: `${statement.sql} -- ${texts++}` });
    const again = () => verify(statement);
    const what = `verify ${name}`;
    const against = 'running the statement';
    const times = await compare(60, first, run);
    lines.push({ what: `${what}, first time`, against, ...(target && { target }), ...times });
    lines.push({ what: `${what}, cached`, against, ...(await compare(60, again, run)) });
  }
  connection.closeSync();
  database.instance.closeSync();
  return lines;
}

/** Running a query with redaction, against without. @param {OpenedServices} opened @returns {Promise<readonly Measured[]>} */
async function redactedTimes(opened) {
  const { signal } = new AbortController();
  const lines = [];
  for (const query of queries) {
    const [ours, plain] = [true, false].map((redact) => compileStatement(opened, query, redact));
    if (ours === undefined || plain === undefined) throw new Error('a statement is missing');
    const times = await compare(
      15,
      () => opened.engine.run(ours, { signal }),
      () => opened.engine.run(plain, { signal }),
    );
    // Without redaction, the newest rows are read as stored JSON: only for a past window do both do the same work.
    const target = query === queries[1] ? { target: 2 * times.baseline } : {};
    lines.push({ what: `${query.what}, redacted`, against: 'not redacted', ...target, ...times });
  }
  return lines;
}
