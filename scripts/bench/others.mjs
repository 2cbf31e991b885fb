import { openLogs } from './by-hand.mjs';
import { median, time } from './measure.mjs';
import { openPostgres } from './postgres.mjs';
import { questions } from './queries.mjs';

/** @typedef {import('./queries.mjs').Asked} Asked */
/** @typedef {ReadonlyMap<Asked, number>} Times milliseconds */

/** Where one question over the log files takes minutes, only the first is asked. */
const mostForAllQuestions = 2_000_000;

/** DuckDB over the log files, without a database. @param {string} folder @param {number} records @param {string} memoryLimit @returns {Promise<Times>} */
export async function measureLogs(folder, records, memoryLimit) {
  const logs = await openLogs(folder, memoryLimit);
  const asked = records > mostForAllQuestions ? questions.slice(0, 1) : questions;
  /** @type {Map<Asked, number>} */
  const times = new Map();
  for (const one of asked) times.set(one, await time(() => logs.run(one.byHand)));
  logs.close();
  return times;
}

/**
 * PostgreSQL with the log as `jsonb`.
 * @param {string} folder
 * @param {string} scratch
 * @param {number} runs
 * @returns {Promise<{ readonly times: Times, readonly loadMs: number, readonly bytes: number } | undefined>}
 * undefined where it is not installed
 */
export async function measurePostgres(folder, scratch, runs) {
  const postgres = await openPostgres(scratch);
  if (postgres === undefined) return undefined;
  try {
    const loadMs = await time(() => postgres.load(folder));
    /** @type {Map<Asked, number>} */
    const times = new Map();
    for (const one of questions) times.set(one, median(await postgres.times(one.postgres, runs)));
    return { times, loadMs, bytes: await postgres.bytes() };
  } finally {
    await postgres.close();
  }
}
