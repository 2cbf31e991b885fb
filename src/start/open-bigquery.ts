import type { Settings } from '../config/settings.js';
import { openApi } from '../engine/bigquery/api.js';
import { createBigQueryPool } from '../engine/bigquery/bigquery.js';
import { bigQueryTarget, openTables } from './bigquery-tables.js';

/** The opened BigQuery engine: its pool, and its tables as the logs. */
export type OpenedBigQuery = NonNullable<Awaited<ReturnType<typeof openBigQuery>>>;

/**
 * Opens BigQuery if the settings name it; undefined for another engine.
 * @throws SetupError if Google's client is not installed
 */
export async function openBigQuery(settings: Settings, callers = 1) {
  const target = bigQueryTarget(settings);
  if (target === undefined) return undefined;
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
  const openLogs = (own: Settings) => openTables(own, target, { api, onLocation });
  return { pool, openLogs };
}
