import {
  createCompiler,
  createVerify,
  openDatabase,
  openDuckDbEngine,
  openServices,
  readMacros,
  settingsOf,
  statementOf,
} from './built.mjs';
import { longQuery } from './long-query.mjs';
import { compare } from './measure.mjs';
import { questions } from './queries.mjs';

/** @typedef {import('./built.mjs').OpenedServices} OpenedServices */

/**
 * One part of the program and its baseline: medians in milliseconds.
 * @typedef {object} Measured
 * @property {string} what
 * @property {number} ours
 * @property {string} against what the baseline is
 * @property {number} baseline
 * @property {number} [target] in milliseconds
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

/** The compiler, the start of an engine and the verification of statements over the sample logs; redaction over the logs of the folder. @param {string} folder @param {string} memoryLimit */
export async function measureParts(folder, memoryLimit) {
  const samples = await openServices(settingsOf(`${root}fixtures`, memoryLimit), openDuckDbEngine);
  const parts = [
    ...(await compileTimes(samples)),
    await startTime(samples),
    ...(await verifyTimes(samples)),
  ];
  await samples.engine.close();
  const opened = await openServices(settingsOf(folder, memoryLimit), openDuckDbEngine);
  const redacted = await redactedTimes(opened);
  await opened.engine.close();
  return [...parts, ...redacted];
}

/** @param {OpenedServices} opened @returns {Promise<readonly Measured[]>} */
async function compileTimes({ catalog, logs: { sources } }) {
  const endpoint = catalog.find('logs.all');
  const kept = createCompiler(sources);
  let run = 0;
  const asked = () => ({
    language: /** @type {const} */ ('sql'),
    text: `${longQuery} -- ${run++}`,
  });
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

/** What the build saves the opening of an engine. @param {OpenedServices} opened @returns {Promise<Measured>} */
async function startTime({ logs: { databaseFile, sources } }) {
  /** @param {string} text */
  const openAndClose = async (text) => {
    const engine = await openDuckDbEngine({ databaseFile, sources, macros: text, ...limits });
    await engine.close();
  };
  const times = await compare(
    15,
    () => openAndClose(macros),
    // Another text than the build's, which means the same.
    () => openAndClose(`${macros};`),
  );
  return { what: 'open an engine', against: 'macros bound anew', target: 150, ...times };
}

/** The verification of a statement before it runs. @param {OpenedServices} opened */
async function verifyTimes(opened) {
  const { engine, logs } = opened;
  const { databaseFile, sources } = logs;
  const database = await openDatabase({ databaseFile, sources, macros, ...limits });
  const connection = await database.instance.connect();
  const kept = createVerify(database.macros);
  const { signal } = new AbortController();
  const [stored] = questions;
  if (stored === undefined) throw new Error('no question');
  const lines = [];
  for (const [name, asked] of /** @type {const} */ ([
    ['logs.all', stored],
    [sizeOf(longQuery), { ...stored, sql: longQuery }],
  ])) {
    const statement = statementOf(opened, asked);
    const run = () => engine.run(statement, { signal });
    const first = () => createVerify(database.macros)(connection, statement);
    const again = () => kept(connection, statement);
    const what = `verify ${name}`;
    const against = 'the statement run';
    lines.push({ what: `${what}, first time`, against, ...(await compare(60, first, run)) });
    lines.push({ what: `${what}, accepted before`, against, ...(await compare(60, again, run)) });
  }
  connection.closeSync();
  database.instance.closeSync();
  return lines;
}

/** What redaction adds to an answer. @param {OpenedServices} opened @returns {Promise<readonly Measured[]>} */
async function redactedTimes(opened) {
  const { signal } = new AbortController();
  const lines = [];
  for (const asked of questions) {
    const [ours, plain] = [true, false].map((redact) => statementOf(opened, asked, redact));
    if (ours === undefined || plain === undefined) throw new Error('two statements');
    const times = await compare(
      15,
      () => opened.engine.run(ours, { signal }),
      () => opened.engine.run(plain, { signal }),
    );
    const target = asked === questions[0] ? { target: 2 * times.baseline } : {};
    lines.push({ what: `${asked.what}, redacted`, against: 'plain', ...target, ...times });
  }
  return lines;
}
