import {
  createEnginePool,
  openDuckDbEngine,
  openServices,
  settingsOf,
  statementOf,
} from './built.mjs';
import { filesOf, isSame, openFiles } from './by-hand.mjs';
import { compare, medians, time } from './measure.mjs';
import { questions } from './queries.mjs';
import { warmClient } from './service.mjs';

/** @typedef {import('./built.mjs').OpenedServices} OpenedServices */
/** @typedef {import('./queries.mjs').Asked} Asked */
/** @typedef {import('./service.mjs').Service} Service */
/** @typedef {import('../../src/service/start-up.js').EngineOptions} EngineOptions */

/**
 * Milliseconds until the whole answer is there.
 * @typedef {object} Answer
 * @property {Asked} asked
 * @property {number} rows
 * @property {number} cold the first time that a server just started is asked
 * @property {number} http
 * @property {number} engine inside the process
 * @property {number} byHand
 */

/**
 * The questions over HTTP, at the engine and by hand, by turns.
 * @param {Service} service just started
 * @param {{ readonly folder: string, readonly memoryLimit: string, readonly runs: number }} given
 */
export async function measureAnswers(service, { folder, memoryLimit, runs }) {
  await warmClient();
  /** @type {Map<Asked, number>} */
  const cold = new Map();
  for (const asked of questions)
    cold.set(asked, await time(() => service.ask(asked, instantOf(0))));
  /** @type {EngineOptions | undefined} */
  let options;
  const opened = await openServices(settingsOf(folder, memoryLimit), async (given) => {
    options = given;
    return openDuckDbEngine(given);
  });
  const byHand = await openFiles(filesOf(opened), memoryLimit);
  const answers = [];
  for (const asked of questions) {
    const { rows, works } = await worksOf(asked, { service, opened, byHand });
    const [http = 0, engine = 0, hand = 0] = await medians(runs, works);
    answers.push({ asked, rows, cold: cold.get(asked) ?? 0, http, engine, byHand: hand });
  }
  const hop = options === undefined ? undefined : await measureHop(opened, options, runs);
  byHand.close();
  await opened.engine.close();
  return { answers, hop };
}

/**
 * @param {Asked} asked
 * @param {{ readonly service: Service, readonly opened: OpenedServices, readonly byHand: import('./by-hand.mjs').ByHand }} of
 */
async function worksOf(asked, { service, opened, byHand }) {
  const statement = statementOf(opened, asked);
  const { signal } = new AbortController();
  let run = 0;
  const http = () => {
    run += 1;
    return service.ask(asked, instantOf(run));
  };
  const engine = () => opened.engine.run(statement, { signal });
  const hand = () => byHand.run(asked.byHand);
  const [{ rows, body }, { rowCount }, other] = [await http(), await engine(), await hand()];
  if (rows !== rowCount || !isSame(body, other.json)) {
    throw new Error(`${asked.what}: not the same answers: ${body} ${other.json}`.slice(0, 2000));
  }
  return { rows, works: [http, engine, hand] };
}

/** An instant of its own for each request, or the cache would answer. @param {number} micros */
function instantOf(micros) {
  return `2026-03-10T12:00:00.${String(micros).padStart(6, '0')}Z`;
}

/** What it costs that a statement runs in another process. @param {OpenedServices} opened @param {EngineOptions} options @param {number} runs */
async function measureHop(opened, options, runs) {
  const [asked] = questions;
  if (asked === undefined) throw new Error('no question');
  const statement = statementOf(opened, asked);
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
