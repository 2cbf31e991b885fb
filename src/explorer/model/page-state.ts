/** What the editor shows: the endpoint's own query, or one of the caller's. */
export type Language = 'stored' | 'sql' | 'lql';

/** The time windows that end now. */
export const windows = { hour: 'Last hour', day: 'Last day', week: 'Last 7 days' } as const;

/** One of the {@link windows}, or a range that was typed in. */
export type TimeWindow = keyof typeof windows | 'custom';

/** What a link shares: which endpoint is asked, and what it is asked. There is never a token in it. */
export interface PageState {
  readonly endpoint: string;
  readonly language: Language;
  readonly sql: string;
  readonly lql: string;
  /** The values of the parameters, by name; an empty text is an absent value. */
  readonly values: Readonly<Record<string, string>>;
  readonly window: TimeWindow;
}

/** The state of a page that was opened without a link. */
export const emptyState: PageState = {
  endpoint: '',
  language: 'stored',
  sql: '',
  lql: '',
  values: {},
  window: 'custom',
};

/** Reads a fragment such as `#endpoint=logs.all&sql=select+1&p.project=bluefin`. */
export function readFragment(fragment: string): {
  readonly state: Partial<PageState>;
  readonly code?: string;
} {
  const pairs = new URLSearchParams(fragment.replace(/^#/, ''));
  const values = [...pairs]
    .filter(([key]) => key.startsWith('p.'))
    .map(([key, value]) => [key.slice(2), value] as const);
  const text = (key: 'endpoint' | 'sql' | 'lql') => {
    const value = pairs.get(key);
    return value === null ? {} : { [key]: value };
  };
  const code = pairs.get('code');
  const window = pairs.get('time') ?? '';
  const language = pairs.get('show') ?? (pairs.has('sql') ? 'sql' : pairs.has('lql') && 'lql');
  const state: Partial<PageState> = {
    ...text('endpoint'),
    ...text('sql'),
    ...text('lql'),
    ...(isLanguage(language) && { language }),
    ...(Object.hasOwn(windows, window) && { window: window as TimeWindow }),
    ...(values.length > 0 && { values: Object.fromEntries(values) }),
  };
  return code === null ? { state } : { state, code };
}

/** Prints a state as a fragment that {@link readFragment} reads; only what is not empty. */
export function printFragment({ endpoint, language, sql, lql, values, window }: PageState): string {
  const pairs = [
    ['endpoint', endpoint],
    ['show', language === 'stored' ? '' : language],
    ['time', window === 'custom' ? '' : window],
    ...Object.entries(values).map(([name, value]) => [`p.${name}`, value]),
    ['sql', sql],
    ['lql', lql],
  ];
  const given = pairs.filter(([, value]) => value !== '') as [string, string][];
  return given.length === 0 ? '' : `#${new URLSearchParams(given)}`;
}

function isLanguage(text: string | false): text is Language {
  return text === 'stored' || text === 'sql' || text === 'lql';
}
