import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import {
  compileStatement,
  createEnginePool,
  folderSettings,
  openDuckDbEngine,
  openServices,
} from './built.mjs';
import { edgeLogFiles, isSame, openFiles } from './by-hand.mjs';
import { compare, medians, time } from './measure.mjs';
import { queries } from './queries.mjs';
import { instantAtMicros, nextInstant, startService, warmClient } from './service.mjs';

/** @typedef {import('./built.mjs').OpenedServices} OpenedServices */
/** @typedef {import('./queries.mjs').Query} Query */
/** @typedef {import('./service.mjs').Service} Service */
/** @typedef {import('../../src/start/start-up.js').EngineOptions} EngineOptions */

/** @typedef {import('./others.mjs').Postgres} Postgres */
/** The servers that answer. @typedef {{ readonly service: Service, readonly postgres: Postgres | undefined }} Servers */

setFlagsFromString('--expose-gc');

/** Collects the benchmark's own garbage, which would otherwise be collected during a request, on the same processors. */
const collectGarbage = /** @type {() => void} */ (runInNewContext('gc'));

/** With more, PostgreSQL takes many seconds for each query but those for the newest records. */
const maxPostgresRecords = 1_000_000;

/**
 * The times of one query, in milliseconds until the last byte.
 * @typedef {object} Answer
 * @property {Query} query
 * @property {number} rows
 * @property {number} cold the first request to a server that has just started
 * @property {number} http median over HTTP, where no results are kept
 * @property {number} again median over HTTP, where results are kept
 * @property {number} engine median of the same statement run in this process
 * @property {number} byHand median of the hand-written SQL
 * @property {number | undefined} postgres median over HTTP of PostgreSQL behind a bare handler
 * @property {number} cpu mean processor time of all processes of the service for a request, with what it causes in the background, where no results are kept
 */

/**
 * Times every query over HTTP, in an engine of this process, as hand-written SQL and in PostgreSQL, interleaved.
 * @param {Servers} servers the service has just started
 * @param {{ readonly folder: string, readonly memoryLimit: string, readonly runs: number, readonly records: number }} options
 */
export async function measureAnswers(
  { service, postgres },
  { folder, memoryLimit, runs, records },
) {
  await warmClient();
  /** @type {Map<Query, number>} */
  const cold = new Map();
  for (const query of queries)
    cold.set(query, await time(() => service.ask(query, instantAtMicros(0))));
  /** @type {EngineOptions | undefined} */
  let engineOptions;
  const opened = await openServices(folderSettings(folder, memoryLimit), async (options) => {
    engineOptions = options;
    return openDuckDbEngine(options);
  });
  const caching = await startService(folder, { memoryLimit });
  const byHand = await openFiles(edgeLogFiles(opened), memoryLimit);
  const answers = [];
  for (const query of queries) {
    const isFast = query.isNewest === true || records <= maxPostgresRecords;
    const peer = isFast ? postgres : undefined;
    const targets = { service, caching, postgres: peer, opened, byHand };
    const { rows, tasks } = await queryTasks(query, targets);
    const [http = 0, again = 0, engine = 0, hand = 0, theirs] = await medians(
      runs,
      tasks,
      collectGarbage,
    );
    const times = {
      cold: cold.get(query) ?? 0,
      http,
      again,
      engine,
      byHand: hand,
      postgres: theirs,
    };
    answers.push({ query, rows, ...times });
  }
  const cpu = await measureCpu(service);
  const processOverhead =
    engineOptions === undefined
      ? undefined
      : await measureProcessOverhead(opened, engineOptions, runs);
  byHand.close();
  await caching.stop();
  await opened.engine.close();
  const withCpu = answers.map((answer) => ({ ...answer, cpu: cpu.get(answer.query) ?? 0 }));
  return { answers: withCpu, processOverhead };
}

/**
 * The ways of running a query, checked to return the same rows.
 * @param {Query} query
 * @param {Servers & { readonly caching: Service, readonly opened: OpenedServices, readonly byHand: import('./by-hand.mjs').ByHand }} targets
 */
async function queryTasks(query, { service, caching, postgres, opened, byHand }) {
  const statement = compileStatement(opened, query);
  const { signal } = new AbortController();
  const http = () => service.ask(query, nextInstant());
  const again = () => caching.ask(query, instantAtMicros(0));
  const engine = () => opened.engine.run(statement, { signal });
  const hand = () => byHand.run(query.byHand);
  const peer = () => postgres?.ask(query);
  const [{ rows, body }, { rowCount }, other] = [await http(), await engine(), await hand()];
  const theirs = (await peer())?.rows ?? rows;
  if (rows !== rowCount || rows !== theirs || !isSame(body, other.json)) {
    throw new Error(`${query.what}: the answers differ: ${body} ${other.json}`.slice(0, 2000));
  }
  const tasks = [http, again, engine, hand];
  return { rows, tasks: postgres === undefined ? tasks : [...tasks, peer] };
}

/** The processor time is measured over at most this many requests, and this many milliseconds. */
const cpuRequests = 200;
const cpuMs = 2_000;

/** The processor time of a request, per query. @param {Service} service */
async function measureCpu(service) {
  /** @type {Map<Query, number>} */
  const times = new Map();
  await service.untilQuiet();
  for (const query of queries) {
    const before = service.cpuMs();
    const start = performance.now();
    let requests = 0;
    for (; requests < cpuRequests && performance.now() - start < cpuMs; requests += 1) {
      await service.ask(query, nextInstant());
    }
    times.set(query, ((await service.untilQuiet()) - before) / requests);
  }
  return times;
}

/** The cost of running a statement in an engine process instead of this one. @param {OpenedServices} opened @param {EngineOptions} options @param {number} runs */
async function measureProcessOverhead(opened, options, runs) {
  const [query] = queries;
  if (query === undefined) throw new Error('there is no query to run');
  const statement = compileStatement(opened, query);
  const { signal } = new AbortController();
  const pool = await createEnginePool({ ...options, callers: 1 }).open(options);
  const times = await compare(
    runs * 10,
    () => pool.run(statement, { signal }),
    () => opened.engine.run(statement, { signal }),
  );
  await pool.close();
  return times;
}
