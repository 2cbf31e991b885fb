import type { CatalogAnswer, ListedEndpoint } from '../model/endpoint.js';
import { firstWindow, isOwnSource, type SourceCount, sortSources } from '../model/first-page.js';
import { type PageState, timeWindows } from '../model/page-state.js';
import { findTimeRange } from '../model/time.js';
import { type AppState, clockMs } from './app-state.js';
import type { Runner } from './runner.js';
import type { PageStore } from './store.js';

/** The query that a page without one begins with. */
interface FirstQuery {
  readonly patch: Partial<PageState>;
  /** Why the time is not the last hour, if it is not. */
  readonly note: string | undefined;
  /** The counts of the sources in that time, if they are known. */
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
 * shows the likely query. Undefined if the user acted first.
 */
export async function chooseFirst(
  { store, runner, change }: Page,
  { catalog, endpoint }: Shown,
): Promise<FirstQuery | undefined> {
  const range = findTimeRange(endpoint.parameters);
  const { window, values } = store.get().page;
  const bounds = [range?.start, range?.end].map((name) => values[name ?? ''] ?? '');
  const isBounded = window !== '' || bounds.some((bound) => bound !== '');
  const own = endpoint.tables.find(({ name }) => isOwnSource(catalog, name));
  const likely = isBounded || range === undefined ? window : 'hour';
  change({ language: 'lql', lql: own ? `f:${own.name}` : '', window: likely });
  const { page } = store.get();
  const signal = runner.start();
  const nowMs = clockMs(store.get());
  const asked = isBounded ? page : { ...page, window: '' as const };
  const all = await runner.countSources(asked, signal, nowMs - timeWindows.hour.ms).catch(() => []);
  if (runner.isStopped(signal) || store.get().page !== page) {
    runner.stop(signal);
    return undefined;
  }
  const { note, ...time } = firstWindow(all, endpoint, nowMs);
  const recent = all.map((one) => ({ ...one, records: one.recent ?? 0 }));
  const known = isBounded ? all : time.window === 'hour' ? recent : undefined;
  const [first] = sortSources(known ?? newestOf(all), catalog);
  const lql = `f:${first?.name ?? endpoint.tables[0]?.name ?? ''}`;
  const chosen = isBounded ? {} : { ...time, values: { ...page.values, ...time.values } };
  return { patch: { ...chosen, lql }, note: isBounded ? undefined : note, counts: known };
}

/** The sources with a record in the hour of the newest one. */
function newestOf(counts: readonly SourceCount[]): readonly SourceCount[] {
  const times = counts.map(({ newestMs = Number.NEGATIVE_INFINITY }) => newestMs);
  const sinceMs = Math.max(...times) - timeWindows.hour.ms;
  return counts.filter(({ newestMs }) => newestMs !== undefined && newestMs > sinceMs);
}
