import type { Language } from '../model/page-state.js';

const tokenKey = 'log-endpoints.token';
const historyKey = 'log-endpoints.history';
const themeKey = 'log-endpoints.theme';
const zoneKey = 'log-endpoints.zone';
const maxHistory = 50;

/** A query that was run. */
export interface PastQuery {
  readonly endpoint: string;
  readonly language: Exclude<Language, 'stored'>;
  readonly text: string;
  readonly at: number;
}

/** Returns the token stored for the tab, so that it survives a reload. */
export function keptToken(): string | undefined {
  return read(() => sessionStorage.getItem(tokenKey)) ?? undefined;
}

/** Stores a token until the tab is closed; undefined removes it. */
export function keepToken(token: string | undefined): void {
  read(() => {
    if (token === undefined) sessionStorage.removeItem(tokenKey);
    else sessionStorage.setItem(tokenKey, token);
  });
}

/** Returns the queries run in this browser, newest first. */
export function readHistory(): readonly PastQuery[] {
  const text = read(() => localStorage.getItem(historyKey));
  const past = text === undefined || text === null ? [] : read(() => JSON.parse(text) as unknown);
  return Array.isArray(past) ? past.filter(isPastQuery) : [];
}

/** Moves a query to the front of the history, without duplicates. */
export function addToHistory(query: PastQuery): readonly PastQuery[] {
  const isSame = (one: PastQuery) =>
    one.text === query.text && one.language === query.language && one.endpoint === query.endpoint;
  const others = readHistory().filter((one) => !isSame(one));
  const history = [query, ...others].slice(0, maxHistory);
  read(() => localStorage.setItem(historyKey, JSON.stringify(history)));
  return history;
}

/** Removes all queries from the history. */
export function clearHistory(): void {
  read(() => localStorage.removeItem(historyKey));
}

/** Returns the zone last chosen by the user. */
export function keptZone(): 'local' | 'utc' {
  return read(() => localStorage.getItem(zoneKey)) === 'utc' ? 'utc' : 'local';
}

/** Stores the zone for the next visit. */
export function keepZone(zone: 'local' | 'utc'): void {
  read(() => localStorage.setItem(zoneKey, zone));
}

/** The theme of the page: the system's, or the user's choice. */
export type Theme = 'system' | 'light' | 'dark';

/** Returns the theme last chosen by the user. */
export function keptTheme(): Theme {
  const theme = read(() => localStorage.getItem(themeKey));
  return theme === 'light' || theme === 'dark' ? theme : 'system';
}

/** Stores the theme for the next visit. */
export function keepTheme(theme: Theme): void {
  read(() => localStorage.setItem(themeKey, theme));
}

/** Storage may be disabled: then nothing is stored. */
function read<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}

function isPastQuery(value: unknown): value is PastQuery {
  const { endpoint, language, text, at } = (value ?? {}) as Partial<PastQuery>;
  return (
    typeof endpoint === 'string' &&
    typeof text === 'string' &&
    typeof at === 'number' &&
    (language === 'sql' || language === 'lql')
  );
}
