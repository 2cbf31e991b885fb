import type { FieldSchema } from '../../types/table-schema.js';
import type { Body, RunResult } from '../client/api.js';
import type { PastQuery, Theme } from '../client/keep.js';
import type { AnswerFault, AnswerRow, CatalogAnswer, ListedEndpoint } from '../model/endpoint.js';
import type { SourceCount } from '../model/first-page.js';
import type { Histogram } from '../model/histogram.js';
import { isSameQuery, type PageState } from '../model/page-state.js';
import { timeRangeOf, valuesToSend, type Zone } from '../model/time.js';

/** The last run, or the one that is under way. */
export interface Run {
  readonly kind: 'none' | 'running' | 'cancelled' | 'failed' | 'done';
  /** The rows on the page: those of the last run that gave some. */
  readonly rows: DoneRun | undefined;
  /** Why a run failed; empty unless it did. */
  readonly message: string;
  readonly faults: readonly AnswerFault[];
  /** When the run that is under way began, in milliseconds of `performance.now()`. */
  readonly startMs: number;
}

/** What a run has given. */
export interface DoneRun {
  readonly result: RunResult;
  readonly columns: readonly FieldSchema[];
  /** What was asked, for downloads and for filters on a value. */
  readonly asked: PageState;
  readonly body: Body;
}

/** Everything that the page shows. */
export interface AppState {
  readonly page: PageState;
  /** Undefined until the server has accepted a token. */
  readonly catalog: CatalogAnswer | undefined;
  readonly isConnecting: boolean;
  readonly connectFault: string;
  /** The projects that the token may see, as far as the server tells. */
  readonly projects: readonly string[];
  readonly run: Run;
  /** All matches over time; undefined until they are counted, and where they have no time. */
  readonly histogram: Histogram | undefined;
  /** What they are the matches of: the rows may be those of another run. */
  readonly counted: PageState | undefined;
  readonly sources: readonly SourceCount[];
  /** The row in the drawer. */
  readonly opened: AnswerRow | undefined;
  readonly isLive: boolean;
  readonly showsKeys: boolean;
  /** What the check finds in the query as it is typed. */
  readonly faults: readonly AnswerFault[];
  readonly zone: Zone;
  readonly theme: Theme;
  /** The colours that the page has, for what is drawn on a canvas. */
  readonly shownTheme: 'light' | 'dark';
  readonly history: readonly PastQuery[];
  /** How the run is going, for screen readers; everybody else sees it. */
  readonly status: string;
  /** A short message, such as that something was copied. */
  readonly notice: string;
}

/** No run, and no rows. */
export const noRun: Run = { kind: 'none', rows: undefined, message: '', faults: [], startMs: 0 };

/** The endpoint that is shown. */
export function endpointOf({ catalog, page }: AppState): ListedEndpoint | undefined {
  return catalog?.endpoints.find(({ name }) => name === page.endpoint);
}

/** The time of requests in milliseconds since 1970: the server's clock if it stands still. */
export function nowOf({ catalog }: AppState): number {
  return catalog?.fixedNowMs ?? Date.now();
}

/** The values of the parameters that a page sends. */
export function valuesOf(state: AppState, page: PageState): Body {
  const endpoint = state.catalog?.endpoints.find(({ name }) => name === page.endpoint);
  return valuesToSend(page, endpoint?.parameters ?? [], nowOf(state));
}

/** The request of a page: its values, and its query unless that is the stored one. */
export function requestBody(state: AppState, page: PageState): Body {
  const { language } = page;
  const values = valuesOf(state, page);
  return language === 'stored' ? values : { ...values, [language]: page[language] };
}

/** The page over all time, whatever stretch it asks for. */
export function withoutRange(state: AppState): PageState {
  const range = timeRangeOf(endpointOf(state)?.parameters ?? []);
  const unbounded = range === undefined ? {} : { [range.start]: '', [range.end]: '' };
  return { ...state.page, window: '', values: { ...state.page.values, ...unbounded } };
}

/** Whether the rows are those that the page asks for. */
export function isAtRest({ run, page }: AppState): boolean {
  return run.rows !== undefined && isSameQuery(run.rows.asked, page);
}

/** How many matches the query of the rows has; 0 while they are not counted. */
export function totalOf({ histogram, counted }: AppState, { asked }: DoneRun): number {
  return counted === asked ? (histogram?.total ?? 0) : 0;
}
