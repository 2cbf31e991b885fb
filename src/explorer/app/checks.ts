import { type Api, ApiError } from '../client/api.js';
import type { ListedEndpoint } from '../model/endpoint.js';
import { findQueryFaults } from '../model/mend.js';
import { type AppState, requestBody, shownEndpoint } from './app-state.js';
import type { PageStore } from './store.js';

const delayMs = 250;

/** Checks queries as they are typed. */
export class Checks {
  readonly #store: PageStore<AppState>;
  readonly #api: () => Api;
  #checking = new AbortController();

  constructor(store: PageStore<AppState>, api: () => Api) {
    this.#store = store;
    this.#api = api;
  }

  /** Cancels the pending or running check. */
  readonly stop = (): void => this.#checking.abort();

  /** Checks the query shortly after the last key press; drops a late answer. */
  readonly checkSoon = (): void => {
    this.stop();
    const { page, faults } = this.#store.get();
    const endpoint = shownEndpoint(this.#store.get());
    const isOwn = page.language !== 'stored' && page[page.language].trim() !== '';
    if (isOwn && endpoint?.sandbox === true) {
      this.#checking = new AbortController();
      const { signal } = this.#checking;
      setTimeout(() => {
        if (!signal.aborted) void this.#check(endpoint, signal);
      }, delayMs);
    } else if (faults.length > 0) this.#store.update({ faults: [] });
  };

  async #check({ parameters }: ListedEndpoint, signal: AbortSignal): Promise<void> {
    const state = this.#store.get();
    const { page } = state;
    const { language } = page;
    if (language === 'stored') return;
    // A missing value in the form is not an error in the query.
    const missing = parameters.filter(({ required }) => required);
    const filled = missing.map(({ name, oneOf }) => [name, oneOf?.[0] ?? 'x'] as const);
    const body = { ...Object.fromEntries(filled), ...requestBody(state, page) };
    const check = (text: string) =>
      this.#api()
        .check(page.endpoint, { ...body, [language]: text }, signal)
        .then(() => [])
        .catch((error: unknown) => {
          const found = error instanceof ApiError ? error.faults : [];
          return found.filter(({ location }) => location === language);
        });
    const faults = await findQueryFaults(page[language], check);
    if (!signal.aborted) this.#store.update({ faults });
  }
}
