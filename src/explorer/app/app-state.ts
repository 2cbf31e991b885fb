import type { FieldSchema } from '../../types/table-schema.js';
import type { Body, RunResult } from '../client/api.js';
import type { PastQuery } from '../client/keep.js';
import type {
  AnswerFault,
  AnswerRow,
  CatalogAnswer,
  ListedEndpoint,
  ListedTable,
} from '../model/endpoint.js';
import { boundProject, firstEndpoint, type SourceCount } from '../model/first-page.js';
import type { Histogram } from '../model/histogram.js';
import { pageSource } from '../model/matches.js';
import { isSameQuery, type PageState, timeWindows, windowNames } from '../model/page-state.js';
import {
  findTimeRange,
  hasBounds,
  pageStretch,
  printIso,
  valuesToSend,
  type Zone,
} from '../model/time.js';

/** The last or current run. */
export interface Run {
  readonly kind: 'none' | 'running' | 'cancelled' | 'failed' | 'done';
  /** The rows on the page: those of the last run that returned any. */
  readonly rows: DoneRun | undefined;
  /** The reason for which the run failed; otherwise empty. */
  readonly message: string;
  readonly faults: readonly AnswerFault[];
  /** The start of the current run, in milliseconds of `performance.now()`. */
  readonly startMs: number;
}

/** The result of a run. */
export interface DoneRun {
  readonly result: RunResult;
  readonly columns: readonly FieldSchema[];
  /** The page that was run, for downloads and for filters on a value. */
  readonly asked: PageState;
  readonly body: Body;
}

/** The whole state of the page. */
export interface AppState {
  readonly page: PageState;
  /** Undefined until the server has accepted a token. */
  readonly catalog?: CatalogAnswer | undefined;
  readonly isConnecting: boolean;
  readonly connectFault: string;
  /** The projects that the token may see, if the server lists them; undefined until it has answered. */
  readonly projects?: readonly string[] | undefined;
  readonly run: Run;
  /** All matches over time; undefined until they are counted, or if they have no time. */
  readonly histogram?: Histogram | undefined;
  /** The page whose matches were counted: the rows may be from another run. */
  readonly counted?: PageState | undefined;
  readonly sources: readonly SourceCount[];
  /** Why the page began with an older time, and the values of that time. */
  readonly timeNote?: { readonly text: string; readonly values: PageState['values'] } | undefined;
  /** The row in the drawer. */
  readonly opened?: AnswerRow | undefined;
  readonly showsKeys: boolean;
  /** The faults that the check finds in the query as it is typed. */
  readonly faults: readonly AnswerFault[];
  /** Whether the editor shows a list of suggestions, which covers the content below it. */
  readonly isCompleting: boolean;
  readonly zone: Zone;
  /** The theme of the page: the system's, or the user's choice. */
  readonly theme: 'system' | 'light' | 'dark';
  /** The current colour scheme, for drawing on a canvas. */
  readonly shownTheme: 'light' | 'dark';
  readonly history: readonly PastQuery[];
  /** The progress of the run, as announced to screen readers. */
  readonly status: string;
  /** A short message, for example that a link was copied. */
  readonly notice: string;
}

/** No run, and no rows. */
export const noRun: Run = { kind: 'none', rows: undefined, message: '', faults: [], startMs: 0 };

/** The endpoint that is shown: the first one, if the page names none. */
export function shownEndpoint({ catalog, page }: AppState): ListedEndpoint | undefined {
  if (page.endpoint === '') return catalog && firstEndpoint(catalog);
  return catalog?.endpoints.find(({ name }) => name === page.endpoint);
}

/** The source that the page reads; while its query has none, the source of the rows. */
export function shownSource(
  { page, run }: AppState,
  endpoint: ListedEndpoint,
): ListedTable | undefined {
  const ofRows = run.rows && pageSource(run.rows.asked, endpoint);
  return pageSource(page, endpoint) ?? ofRows ?? endpoint.tables[0];
}

/** Returns the time of requests in milliseconds since 1970: the server's clock if it is fixed. */
export function clockMs({ catalog }: AppState): number {
  return catalog?.fixedNowMs || Date.now();
}

/** Returns the parameter values that a page sends. */
export function pageValues(state: AppState, page: PageState): Body {
  const endpoint = state.catalog?.endpoints.find(({ name }) => name === page.endpoint);
  return valuesToSend(page, endpoint?.parameters ?? [], clockMs(state));
}

/** Returns the request of a page: its values, and its query unless that is the stored one. */
export function requestBody(state: AppState, page: PageState): Body {
  const { language } = page;
  const values = pageValues(state, page);
  return language === 'stored' ? values : { ...values, [language]: page[language] };
}

/** Returns a time window, or a range, in place of the page's time. */
export function timeWithin(
  state: AppState,
  window: PageState['window'],
  start = '',
  end = '',
): Pick<PageState, 'window' | 'values'> {
  const range = findTimeRange(shownEndpoint(state)?.parameters ?? []);
  const bounds = range === undefined ? {} : { [range.start]: start, [range.end]: end };
  return { window, values: { ...state.page.values, ...bounds } };
}

/** Returns the page over all time, ignoring its time range. */
export function withoutRange(state: AppState): PageState {
  return { ...state.page, ...timeWithin(state, '') };
}

/** Returns the time from `fromMs`, inclusive, to `toMs`, exclusive, in milliseconds since 1970. */
export function narrowerTime(state: AppState, fromMs: number, toMs: number): Partial<PageState> {
  // The start of a range is exclusive, but its end is inclusive.
  const [start = '', end = ''] = [fromMs, toMs].map((ms) => printIso(Math.round(ms * 1000) - 1));
  return timeWithin(state, '', start, end);
}

/** Returns the shortest time window that holds the page's range, or all time; undefined without a range. */
export function widerTime(state: AppState): Partial<PageState> | undefined {
  const { window, values } = state.page;
  const { parameters = [] } = shownEndpoint(state) ?? {};
  const range = findTimeRange(parameters);
  if (window !== '' || range === undefined || !hasBounds(values, range)) return undefined;
  const nowMs = clockMs(state);
  const { fromMs = 0 } = pageStretch(state.page, parameters, nowMs);
  const holding = windowNames.find((name) => timeWindows[name].ms >= nowMs - fromMs);
  return timeWithin(state, holding ?? '');
}

/** Whether the page has the values that an endpoint requires. */
export function isComplete({ values }: PageState, { parameters }: ListedEndpoint): boolean {
  return parameters.every(({ name, required }) => !required || (values[name] ?? '') !== '');
}

/** The project that need not be chosen: the token's own, or the only one if the endpoint requires one. */
export function givenProject(
  { page, projects = [] }: AppState,
  endpoint: ListedEndpoint,
): string | undefined {
  const isMissing = !isComplete(page, endpoint) && !page.values['project'];
  return boundProject(endpoint) ?? (isMissing && projects.length === 1 ? projects[0] : undefined);
}

/** Whether new records can be shown as they arrive. */
export function canFollow({ catalog, page }: AppState, endpoint: ListedEndpoint): boolean {
  return catalog?.canTail === true && endpoint.tables.length > 0 && isComplete(page, endpoint);
}

/** The page that Live follows, once its rows are there, from which it goes on. The user may type another query. */
export function followedPage({ catalog, page, run }: AppState): PageState | undefined {
  const isLive = catalog?.canTail === true && page.isLive && run.kind === 'done';
  return isLive ? run.rows?.asked : undefined;
}

/** Whether the rows are those of the page's current query. */
export function isAtRest({ run, page }: AppState): boolean {
  return run.rows !== undefined && isSameQuery(run.rows.asked, page);
}
