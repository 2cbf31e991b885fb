import type { ChosenWindow, Language } from '../model/page-state.js';

const tokenKey = 'log-endpoints.token';
const historyKey = 'log-endpoints.history';
const maxHistory = 50;

/** A query that was run. */
export interface PastQuery {
  readonly endpoint: string;
  readonly language: Exclude<Language, 'stored'>;
  readonly text: string;
  readonly at: number;
  /** The time window; entries of earlier versions have none. */
  readonly window?: ChosenWindow;
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
  return read((): PastQuery[] => [...JSON.parse(localStorage.getItem(historyKey) ?? '[]')]) ?? [];
}

/** Moves a query to the front of the history, without duplicates. */
export function addToHistory(query: PastQuery): readonly PastQuery[] {
  const identity = (one: PastQuery) => `${one.endpoint} ${one.language} ${one.text}`;
  const others = readHistory().filter((one) => identity(one) !== identity(query));
  const history = [query, ...others].slice(0, maxHistory);
  read(() => localStorage.setItem(historyKey, JSON.stringify(history)));
  return history;
}

/** Removes all queries from the history. */
export function clearHistory(): void {
  read(() => localStorage.removeItem(historyKey));
}

/** Returns what the user chose on an earlier visit, such as the theme; otherwise the first choice. */
export function keptChoice<T extends string>(name: string, choices: readonly [T, ...T[]]): T {
  const kept = read(() => localStorage.getItem(`log-endpoints.${name}`));
  return choices.find((choice) => choice === kept) ?? choices[0];
}

/** Stores a choice for the next visit. */
export function keepChoice(name: string, choice: string): void {
  read(() => localStorage.setItem(`log-endpoints.${name}`, choice));
}

/** Storage may be disabled: then nothing is stored. */
function read<T>(access: () => T): T | undefined {
  try {
    return access();
  } catch {
    return undefined;
  }
}
