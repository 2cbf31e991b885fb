import { topValues } from '../model/counts.js';
import type { AnswerValue } from '../model/endpoint.js';
import { pageMatches } from '../model/matches.js';
import type { SourceField } from '../model/record-paths.js';
import type { App } from './app.js';
import { shownEndpoint } from './app-state.js';

/** A value of a field, and the number of matches with it. */
export interface TopValue {
  readonly value: AnswerValue;
  readonly records: number;
}

/**
 * Counts the values of a field, most frequent first: in the page's matches, or, if these are not records of the
 * source, in all records of the page's time range.
 */
export async function readTopValues(
  app: App,
  { table, path }: SourceField,
  limit: number,
  signal: AbortSignal,
): Promise<readonly TopValue[]> {
  const { page } = app.store.get();
  const endpoint = shownEndpoint(app.store.get());
  const found = endpoint && pageMatches(page, endpoint);
  const all =
    endpoint && pageMatches({ ...page, language: 'lql', lql: `f:${table.name}` }, endpoint);
  const matches = found?.table.name === table.name ? found : all;
  if (matches === undefined) return [];
  const rows = await app.runner.ask(page, topValues(matches, path, limit), signal);
  return rows.map(({ value, records }) => ({ value: value ?? null, records: Number(records) }));
}
