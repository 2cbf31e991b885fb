import { type Api, ApiError } from '../client/api.js';
import type { AnswerFault, ListedEndpoint } from '../model/endpoint.js';
import { findQueryFaults } from '../model/find-faults.js';
import type { Language } from '../model/page-state.js';
import { type AppState, endpointOf, requestBody } from './app-state.js';
import type { PageStore } from './store.js';

const delayMs = 250;

/** Checks queries as they are typed. */
export class Checks {
  readonly #store: PageStore<AppState>;
  readonly #api: () => Api;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #checking: AbortController | undefined;

  constructor(store: PageStore<AppState>, api: () => Api) {
    this.#store = store;
    this.#api = api;
  }

  /** Cancels the pending or running check. */
  readonly stop = (): void => {
    clearTimeout(this.#timer);
    this.#checking?.abort();
  };

  /** Checks the query shortly after the last key press; drops a late answer. */
  readonly checkSoon = (): void => {
    this.stop();
    const { page, faults } = this.#store.get();
    const endpoint = endpointOf(this.#store.get());
    const isOwn = page.language !== 'stored' && page[page.language].trim() !== '';
    if (isOwn && endpoint?.sandbox === true) {
      this.#timer = setTimeout(() => void this.#check(endpoint), delayMs);
    } else if (faults.length > 0) this.#store.update({ faults: [] });
  };

  async #check(endpoint: ListedEndpoint): Promise<void> {
    const checking = new AbortController();
    this.#checking = checking;
    const state = this.#store.get();
    const { page } = state;
    // A missing value in the form is not an error in the query.
    const missing = endpoint.parameters.filter(({ required }) => required);
    const filled = missing.map(({ name, oneOf }) => [name, oneOf?.[0] ?? 'x'] as const);
    const body = { ...Object.fromEntries(filled), ...requestBody(state, page) };
    const check = (text: string) =>
      this.#api()
        .check(page.endpoint, { ...body, [page.language]: text }, checking.signal)
        .then(() => [])
        .catch((error: unknown) => queryFaults(error, page.language));
    const text = page.language === 'stored' ? '' : page[page.language];
    const faults = await findQueryFaults(text, check);
    if (!checking.signal.aborted) this.#store.update({ faults });
  }
}

function queryFaults(error: unknown, language: Language): readonly AnswerFault[] {
  if (!(error instanceof ApiError)) return [];
  return error.faults.filter(({ location }) => location === language);
}
