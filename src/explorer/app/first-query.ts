import type { CatalogAnswer, ListedEndpoint } from '../model/endpoint.js';
import { firstWindow, isOwnSource, type SourceCount, sortSources } from '../model/first-page.js';
import type { PageState } from '../model/page-state.js';
import { findTimeRange, hasBounds } from '../model/time.js';
import { clockMs } from './app-state.js';
import type { Runner } from './runner.js';

/**
 * Chooses the newest records of one's own source, or of the one with the most. Until the records are counted, the page
 * shows the likely query. Undefined if the user acted first; who only typed a query gets the time.
 */
export async function chooseFirst(
  runner: Runner,
  change: (patch: Partial<PageState>) => void,
  catalog: CatalogAnswer,
  endpoint: ListedEndpoint,
) {
  const own = endpoint.tables.filter(({ name }) => isOwnSource(catalog, name));
  const range = findTimeRange(endpoint.parameters);
  const { window, values } = runner.store.get().page;
  const isBounded = window !== '' || range === undefined || hasBounds(values, range);
  const [likely = ''] = own.map(({ name }) => `f:${name}`);
  change({ language: 'lql', lql: likely, window: isBounded ? window : 'hour' });
  const { page } = runner.store.get();
  const signal = runner.start();
  const nowMs = clockMs(runner.store.get());
  const asked = isBounded ? page : { ...page, window: '' as const };
  const all = await runner.countSources(asked, signal).catch(() => []);
  const time = isBounded ? { window, values } : firstWindow(all, endpoint, values, nowMs);
  const recent = all.map((one) => ({ ...one, records: one.recent }));
  const ofHour = time.window === 'hour' ? recent : undefined;
  const counts = isBounded ? all : ofHour;
  const held = counts ?? newestSources(all, time.values[range?.start ?? '']);
  const [first = endpoint.tables[0]] = sortSources(held, catalog);
  const lql = `f:${first?.name ?? ''}`;
  const patch = { lql, values: time.values, window: time.window };
  const timeNote = 'note' in time ? { text: time.note, values: time.values } : undefined;
  const now = runner.store.get().page;
  const isStopped = runner.isStopped(signal);
  if (now === page && !isStopped) return { patch, counts, timeNote };
  const isSameTime = now.window === page.window && now.values === values;
  if (isSameTime && !isStopped) change({ ...patch, lql: now.lql });
  runner.stop(signal);
  return undefined;
}

/** Of old records, only sources with some in the hour of the newest one. */
function newestSources(all: readonly SourceCount[], start = ''): readonly SourceCount[] {
  const sinceMs = Date.parse(start);
  return all.filter(({ newestMs = 0 }) => newestMs > sinceMs);
}
