import { topValues } from '../model/counts.js';
import type { Value } from '../model/endpoint.js';
import { matchesOf, sourceOf } from '../model/matches.js';
import { quoteName, type RecordPath } from '../model/record-paths.js';
import type { App } from './app.js';
import { endpointOf } from './app-state.js';

/** A value of a field, and how many matches have it. */
export interface TopValue {
  readonly value: Value;
  readonly records: number;
}

/** Counts the values of a field in the page's matches, most frequent first.  */
export async function readTopValues(
  app: App,
  path: RecordPath,
  { limit, signal }: { readonly limit: number; readonly signal: AbortSignal },
): Promise<readonly TopValue[]> {
  const { page } = app.store.get();
  const endpoint = endpointOf(app.store.get());
  const table = endpoint && sourceOf(page, endpoint);
  if (endpoint === undefined || table === undefined) return [];
  // Groups have no values of their own, so all records of their source count.
  const all = { table, sql: `select * from ${quoteName(table.name)}`, filters: '' };
  const matches = matchesOf(page, endpoint) ?? all;
  const rows = await app.runner.ask(page, topValues(matches, path, limit), signal);
  return rows.map(({ value, records }) => ({ value: value ?? null, records: Number(records) }));
}
