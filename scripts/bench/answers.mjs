import {
  createEnginePool,
  openDuckDbEngine,
  openServices,
  settingsOf,
  statementOf,
} from './built.mjs';
import { filesOf, isSame, openFiles } from './by-hand.mjs';
import { compare, medians, time } from './measure.mjs';
import { queries } from './queries.mjs';
import { warmClient } from './service.mjs';

/** @typedef {import('./built.mjs').OpenedServices} OpenedServices */
/** @typedef {import('./queries.mjs').Query} Query */
/** @typedef {import('./service.mjs').Service} Service */
/** @typedef {import('../../src/service/start-up.js').EngineOptions} EngineOptions */

/**
 * The times of one query, in milliseconds until the last byte.
 * @typedef {object} Answer
 * @property {Query} query
 * @property {number} rows
 * @property {number} cold the first request to a server that has just started
 * @property {number} http median over HTTP
 * @property {number} engine median of the same statement run in this process
 * @property {number} byHand median of the hand-written SQL
 */

/**
 * Times every query over HTTP, in an engine of this process and as hand-written SQL, interleaved.
 * @param {Service} service just started
 * @param {{ readonly folder: string, readonly memoryLimit: string, readonly runs: number }} options
 */
export async function measureAnswers(service, { folder, memoryLimit, runs }) {
  await warmClient();
  /** @type {Map<Query, number>} */
  const cold = new Map();
  for (const query of queries) cold.set(query, await time(() => service.ask(query, instantOf(0))));
  /** @type {EngineOptions | undefined} */
  let engineOptions;
  const opened = await openServices(settingsOf(folder, memoryLimit), async (options) => {
    engineOptions = options;
    return openDuckDbEngine(options);
  });
  const byHand = await openFiles(filesOf(opened), memoryLimit);
  const answers = [];
  for (const query of queries) {
    const { rows, tasks } = await tasksOf(query, { service, opened, byHand });
    const [http = 0, engine = 0, hand = 0] = await medians(runs, tasks);
    answers.push({ query, rows, cold: cold.get(query) ?? 0, http, engine, byHand: hand });
  }
  const processOverhead =
    engineOptions === undefined
      ? undefined
      : await measureProcessOverhead(opened, engineOptions, runs);
  byHand.close();
  await opened.engine.close();
  return { answers, processOverhead };
}

/**
 * The three ways of running a query, checked to return the same rows.
 * @param {Query} query
 * @param {{ readonly service: Service, readonly opened: OpenedServices, readonly byHand: import('./by-hand.mjs').ByHand }} targets
 */
async function tasksOf(query, { service, opened, byHand }) {
  const statement = statementOf(opened, query);
  const { signal } = new AbortController();
  let run = 0;
  const http = () => {
    run += 1;
    return service.ask(query, instantOf(run));
  };
  const engine = () => opened.engine.run(statement, { signal });
  const hand = () => byHand.run(query.byHand);
  const [{ rows, body }, { rowCount }, other] = [await http(), await engine(), await hand()];
  if (rows !== rowCount || !isSame(body, other.json)) {
    throw new Error(`${query.what}: the answers differ: ${body} ${other.json}`.slice(0, 2000));
  }
  return { rows, tasks: [http, engine, hand] };
}

/** A different clock for each request, so that none is answered from the cache. @param {number} micros */
function instantOf(micros) {
  return `2026-03-10T12:00:00.${String(micros).padStart(6, '0')}Z`;
}

/** The cost of running a statement in an engine process instead of this one. @param {OpenedServices} opened @param {EngineOptions} options @param {number} runs */
async function measureProcessOverhead(opened, options, runs) {
  const [query] = queries;
  if (query === undefined) throw new Error('there is no query to run');
  const statement = statementOf(opened, query);
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
