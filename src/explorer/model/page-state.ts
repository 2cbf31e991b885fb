/** The queries that the editor may show: one of the user's, or the endpoint's own. */
export const languages = ['lql', 'sql', 'stored'] as const;

/** One of the {@link languages}. */
export type Language = (typeof languages)[number];

/** The time windows that end now, with their length in milliseconds. */
export const timeWindows = {
  '5m': { title: 'Last 5 minutes', ms: 300_000 },
  '15m': { title: 'Last 15 minutes', ms: 900_000 },
  hour: { title: 'Last hour', ms: 3_600_000 },
  '6h': { title: 'Last 6 hours', ms: 6 * 3_600_000 },
  day: { title: 'Last 24 hours', ms: 86_400_000 },
  week: { title: 'Last 7 days', ms: 7 * 86_400_000 },
} as const;

/** The names of the {@link timeWindows}, the shortest first. */
export const windowNames = Object.keys(timeWindows).filter(isTimeWindow);

/** One of the {@link timeWindows}; empty if the parameters bound the time, or if nothing does. */
export type ChosenWindow = keyof typeof timeWindows | '';

/** The shareable state of a link: the endpoint and its query. It never contains a token. */
export interface PageState {
  readonly endpoint: string;
  readonly language: Language;
  readonly sql: string;
  readonly lql: string;
  /** The values of the parameters, by name; an empty string means absent. */
  readonly values: Readonly<Record<string, string>>;
  readonly window: ChosenWindow;
  /** The fields that are shown as columns in addition to the usual ones, such as `metadata.request.path`. */
  readonly columns: readonly string[];
  /** The opened record as `<microseconds since 1970>.<id>`; empty if there is none. */
  readonly record: string;
  /** Whether new records are shown as they arrive. */
  readonly isLive: boolean;
}

/** The state of a page that was opened without a link. */
export const emptyState: PageState = readFragment('').state;

/**
 * Reads a fragment such as `#endpoint=logs.all&sql=select+1&p.project=bluefin`: the state, whether it determines the
 * query, and the one-time code of a printed link, which is not part of the state.
 */
export function readFragment(fragment: string) {
  const pairs = new URLSearchParams(fragment.replace(/^#/, ''));
  const text = (key: string) => pairs.get(key) ?? '';
  const values = [...pairs].filter(([key]) => key.startsWith('p.'));
  const shown = pairs.get('show') ?? (pairs.has('sql') ? 'sql' : pairs.has('lql') ? 'lql' : '');
  const language = languages.find((one) => one === shown);
  const window = text('time');
  const state: PageState = {
    endpoint: text('endpoint'),
    language: language ?? 'stored',
    sql: text('sql'),
    lql: text('lql'),
    values: Object.fromEntries(values.map(([key, value]) => [key.slice(2), value])),
    window: isTimeWindow(window) ? window : '',
    columns: pairs.getAll('column'),
    record: text('record'),
    isLive: text('live') === 'on',
  };
  return { state, hasQuery: language !== undefined, code: pairs.get('code') ?? undefined };
}

type Pair = [name: string, value: string];

/** Prints a state as a fragment that {@link readFragment} reads, without hidden or empty values. */
export function printFragment(page: PageState): string {
  const { endpoint, language, values, window, columns, record, isLive } = page;
  const text = language === 'stored' ? '' : page[language];
  const pairs: Pair[] = [
    ['endpoint', endpoint],
    ['show', text === '' && endpoint !== '' ? language : ''],
    ['time', window],
    ...Object.entries(values).map(([name, value]): Pair => [`p.${name}`, value]),
    [language, text],
    ...columns.map((column): Pair => ['column', column]),
    ['record', record],
    ['live', isLive ? 'on' : ''],
  ];
  const given = pairs.filter(([, value]) => value !== '');
  return given.length === 0 ? '' : `#${new URLSearchParams(given)}`;
}

/** Whether two states ask for the same rows. */
export function isSameQuery(one: PageState, other: PageState): boolean {
  const asked = (page: PageState) =>
    printFragment({ ...page, columns: [], record: '', isLive: false });
  return asked(one) === asked(other);
}

/** Whether a text is the name of a time window. */
export function isTimeWindow(text: string): text is keyof typeof timeWindows {
  return Object.hasOwn(timeWindows, text);
}
