import { openLogs } from './by-hand.mjs';
import { median, time } from './measure.mjs';
import { openPostgres } from './postgres.mjs';
import { queries } from './queries.mjs';

/** @typedef {import('./queries.mjs').Query} Query */
/** Milliseconds per query. @typedef {ReadonlyMap<Query, number>} Times */

/** Above this, a query over the log files takes minutes, and only the first one is run. */
const maxRecordsForAllQueries = 2_000_000;

/**
 * Times DuckDB reading the log files directly.
 * @param {string} folder
 * @param {number} records
 * @param {string} memoryLimit
 * @returns {Promise<Times>}
 */
export async function measureLogs(folder, records, memoryLimit) {
  const logs = await openLogs(folder, memoryLimit);
  const selected = records > maxRecordsForAllQueries ? queries.slice(0, 1) : queries;
  /** @type {Map<Query, number>} */
  const times = new Map();
  for (const query of selected) times.set(query, await time(() => logs.run(query.byHand)));
  logs.close();
  return times;
}

/**
 * Times PostgreSQL with each log record as `jsonb`.
 * @param {string} folder
 * @param {string} scratch
 * @param {number} runs
 * @returns {Promise<{ readonly times: Times, readonly loadMs: number, readonly bytes: number } | undefined>}
 * undefined if PostgreSQL is not installed
 */
export async function measurePostgres(folder, scratch, runs) {
  const postgres = await openPostgres(scratch);
  if (postgres === undefined) return undefined;
  try {
    const loadMs = await time(() => postgres.load(folder));
    /** @type {Map<Query, number>} */
    const times = new Map();
    for (const query of queries)
      times.set(query, median(await postgres.times(query.postgres, runs)));
    return { times, loadMs, bytes: await postgres.bytes() };
  } finally {
    await postgres.close();
  }
}
