import { openLogs } from './by-hand.mjs';
import { time } from './measure.mjs';
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

/** PostgreSQL with the records of a folder, behind a bare handler. @typedef {NonNullable<Awaited<ReturnType<typeof startPostgres>>>} Postgres */

/**
 * Loads each log record as `jsonb`, with an index on project and timestamp; undefined if PostgreSQL is not installed.
 * @param {string} folder
 * @param {string} scratch
 */
export async function startPostgres(folder, scratch) {
  const postgres = await openPostgres(scratch);
  if (postgres === undefined) return undefined;
  const loadMs = await time(() => postgres.load(folder));
  const peer = await postgres.serve();
  return {
    loadMs,
    ask: peer.ask,
    close: async () => {
      await peer.stop();
      await postgres.close();
    },
  };
}
