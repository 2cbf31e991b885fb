import type { Settings } from '../config/settings.js';
import { openApi } from './engine/api.js';
import { createBigQueryPool } from './engine/engine.js';
import { openTables } from './tables.js';
import { createBigQueryTarget } from './target/target.js';

/**
 * Opens BigQuery if the settings name it; undefined for another engine.
 * @throws SetupError if Google's client is not installed
 */
export async function openBigQuery(settings: Settings, callers = 1) {
  const { engine, bigqueryTables: tables, bigquerySandbox: sandbox } = settings;
  if (engine !== 'bigquery' || tables === undefined) return undefined;
  const api = await openApi();
  let location: string | undefined;
  const pool = createBigQueryPool({
    api,
    callers,
    maxConcurrentQueries: settings.maxConcurrentQueries,
    maxQueuedQueries: settings.maxQueuedQueries,
    queryTimeoutMs: settings.queryTimeout,
    maxResultBytes: settings.maxResultBytes,
    maxBytes: settings.bigqueryMaxBytes,
    maxBytesPerDay: settings.bigqueryMaxBytesPerDay,
    maxWindowMs: settings.bigqueryMaxWindow,
    today: () => new Date().toISOString().slice(0, 10),
    location: () => location,
  });
  const onLocation = (found: string) => {
    location = found;
  };
  /** @throws SetupError if BigQuery refuses */
  const openLogs = (own: Settings) => openTables(own, { api, tables, onLocation });
  return { target: createBigQueryTarget({ tables, sandbox }), pool, openLogs };
}
