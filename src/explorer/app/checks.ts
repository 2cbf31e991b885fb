import { type Api, ApiError } from '../client/api.js';
import type { ListedEndpoint } from '../model/endpoint.js';
import { findQueryFaults } from '../model/mend.js';
import { type AppState, requestBody, shownEndpoint } from './app-state.js';
import type { PageStore } from './store.js';

const delayMs = 250;

/** Creates the checks of queries as they are typed. */
export function createChecks(store: PageStore<AppState>, api: () => Api) {
  let checking = new AbortController();
  const check = async ({ parameters }: ListedEndpoint, signal: AbortSignal): Promise<void> => {
    const state = store.get();
    const { page } = state;
    const { language } = page;
    if (signal.aborted || language === 'stored') return;
    // A missing value in the form is not an error in the query.
    const missing = parameters.filter(({ required }) => required);
    const filled = missing.map(({ name, oneOf }) => [name, oneOf?.[0] ?? 'x'] as const);
    const body = { ...Object.fromEntries(filled), ...requestBody(state, page) };
    const readFaults = async (text: string) => {
      const error: unknown = await api()
        .check(page.endpoint, { ...body, [language]: text }, signal)
        .catch((cause: unknown) => cause);
      const found = error instanceof ApiError ? error.faults : [];
      return found.filter(({ location }) => location === language);
    };
    const faults = await findQueryFaults(page[language], readFaults);
    if (!signal.aborted) store.update({ faults });
  };
  /** Cancels the pending or running check. */
  const stop = () => checking.abort();
  /** Checks the query shortly after the last key press; drops a late answer. */
  const checkSoon = () => {
    stop();
    const { page, faults } = store.get();
    const endpoint = shownEndpoint(store.get());
    const isOwn = page.language !== 'stored' && page[page.language].trim() !== '';
    if (isOwn && endpoint?.sandbox === true) {
      checking = new AbortController();
      setTimeout(check, delayMs, endpoint, checking.signal);
    } else if (faults.length > 0) store.update({ faults: [] });
  };
  return { stop, checkSoon };
}
