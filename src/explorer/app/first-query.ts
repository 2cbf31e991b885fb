import type { CatalogAnswer, ListedEndpoint } from '../model/endpoint.js';
import { firstWindow, isOwnSource, type SourceCount, sortSources } from '../model/first-page.js';
import type { PageState } from '../model/page-state.js';
import { findTimeRange, hasBounds } from '../model/time.js';
import { type AppState, clockMs } from './app-state.js';
import type { Runner } from './runner.js';
import type { PageStore } from './store.js';

/** The query that a page without one begins with. */
interface FirstQuery extends Pick<AppState, 'timeNote'> {
  readonly patch: Partial<PageState>;
  /** The counts of the sources in its time, if they are known. */
  readonly counts: readonly SourceCount[] | undefined;
}

/** The part of the app that {@link chooseFirst} needs. */
interface Page {
  readonly store: PageStore<AppState>;
  readonly runner: Runner;
  readonly change: (patch: Partial<PageState>) => void;
}

interface Shown {
  readonly catalog: CatalogAnswer;
  readonly endpoint: ListedEndpoint;
}

/**
 * Chooses the newest records of one's own source, or of the one with the most. Until the records are counted, the page
 * shows the likely query. Undefined if the user acted first; who only typed a query gets the time.
 */
export async function chooseFirst(
  { store, runner, change }: Page,
  shown: Shown,
): Promise<FirstQuery | undefined> {
  const own = shown.endpoint.tables.find(({ name }) => isOwnSource(shown.catalog, name));
  const range = findTimeRange(shown.endpoint.parameters);
  const { window, values } = store.get().page;
  const isBounded = window !== '' || range === undefined || hasBounds(values, range);
  change({ language: 'lql', lql: own ? `f:${own.name}` : '', window: isBounded ? window : 'hour' });
  const { page } = store.get();
  const signal = runner.start();
  const nowMs = clockMs(store.get());
  const asked = isBounded ? page : { ...page, window: '' as const };
  const all = await runner.countSources(asked, signal).catch(() => []);
  const first = firstQuery(all, { ...shown, nowMs, page: isBounded ? page : undefined, values });
  const now = store.get().page;
  if (!runner.isStopped(signal) && now === page) return first;
  const isSameTime = now.window === page.window && now.values === values;
  if (!runner.isStopped(signal) && isSameTime) change({ ...first.patch, lql: now.lql });
  runner.stop(signal);
  return undefined;
}

interface FirstOptions extends Shown, Pick<PageState, 'values'> {
  readonly nowMs: number;
  /** The page, if its time is given. */
  readonly page: PageState | undefined;
}

function firstQuery(all: readonly SourceCount[], options: FirstOptions): FirstQuery {
  const { catalog, endpoint, nowMs, page } = options;
  const { note, window, ...time } = firstWindow(all, endpoint, nowMs);
  const values = page?.values ?? { ...options.values, ...time.values };
  const recent = all.map((one) => ({ ...one, records: one.recent }));
  const counts = page ? all : window === 'hour' ? recent : undefined;
  // Of old records, only sources with some in the hour of the newest one.
  const { start = '' } = findTimeRange(endpoint.parameters) ?? {};
  const sinceMs = Date.parse(time.values[start] ?? '');
  const held = counts ?? all.filter(({ newestMs = 0 }) => newestMs > sinceMs);
  const [first] = sortSources(held, catalog);
  const lql = `f:${first?.name ?? endpoint.tables[0]?.name ?? ''}`;
  const timeNote = page || note === undefined ? undefined : { text: note, values };
  return { patch: { lql, values, window: page?.window ?? window }, counts, timeNote };
}
