import type { FieldSchema } from '../../types/table-schema.js';
import { type Api, ApiError, type Body, createApi, exchangeCode } from '../client/api.js';
import { copyText } from '../client/clipboard.js';
import {
  addToHistory,
  clearHistory,
  keepToken,
  keepZone,
  keptToken,
  keptZone,
  readHistory,
} from '../client/keep.js';
import type { Endpoint, Row } from '../model/endpoint.js';
import { firstQuery } from '../model/examples.js';
import { filterLql } from '../model/filter-lql.js';
import { filterSql, type Wanted } from '../model/filter-sql.js';
import {
  emptyState,
  type Language,
  type PageState,
  printFragment,
  readFragment,
} from '../model/page-state.js';
import { timeRangeOf, valuesToSend } from '../model/time.js';
import { type AppState, type DoneRun, endpointOf, type Run } from './app-state.js';
import { createStore } from './store.js';

const checkDelayMs = 250;
const noticeMs = 5000;
const addressDelayMs = 200;

/** The page's state, and what a user can do. */
export class App {
  readonly store = createStore<AppState>({
    page: emptyState,
    catalog: undefined,
    isConnecting: true,
    connectFault: '',
    keepsToken: false,
    run: { kind: 'none' },
    faults: [],
    zone: keptZone(),
    history: readHistory(),
    status: '',
    notice: '',
  });
  #api: Api | undefined;
  #token = '';
  #running: AbortController | undefined;
  #checking: AbortController | undefined;
  #addressTimer: ReturnType<typeof setTimeout> | undefined;
  #noticeTimer: ReturnType<typeof setTimeout> | undefined;
  #checkTimer: ReturnType<typeof setTimeout> | undefined;

  readonly api = (): Api => {
    if (this.#api === undefined) throw new Error('not connected');
    return this.#api;
  };

  /** Starts from the address: exchanges a printed link's code, or connects with a kept token. */
  readonly start = async (): Promise<void> => {
    window.addEventListener('hashchange', () => void this.#enter());
    await this.#enter();
  };

  /** Takes over what the address says, also when a link is pasted into an open page. */
  async #enter(): Promise<void> {
    const { state, code } = readFragment(location.hash);
    this.store.update({ page: { ...emptyState, ...state } });
    // At once: neither the history nor a copied address may have the code.
    if (code !== undefined) history.replaceState(null, '', this.link());
    const token = keptToken();
    if (this.#api !== undefined) this.#begin();
    else if (code !== undefined) await this.#exchange(code);
    else if (token !== undefined) await this.connect(token, true);
    else this.store.update({ isConnecting: false });
  }

  async #exchange(code: string): Promise<void> {
    try {
      await this.connect(await exchangeCode(code), false);
    } catch (error) {
      const isUsed = error instanceof ApiError && error.status === 401;
      const used = 'This link was used before, or is too old. Enter the token instead.';
      const connectFault = isUsed ? used : messageOf(error);
      this.store.update({ isConnecting: false, connectFault });
    }
  }

  readonly connect = async (token: string, keep: boolean): Promise<void> => {
    this.store.update({ isConnecting: true, connectFault: '' });
    const api = createApi(token);
    try {
      const catalog = await api.catalog();
      this.#api = api;
      this.#token = token;
      keepToken(keep ? token : undefined);
      this.store.update({ catalog, isConnecting: false, keepsToken: keep });
      this.#begin();
    } catch (error) {
      keepToken(undefined);
      this.store.update({ isConnecting: false, connectFault: messageOf(error) });
    }
  };

  /** Shows what the link asked for, and runs it if it says all that the endpoint requires. */
  #begin(): void {
    const { catalog, page } = this.store.get();
    const [first] = catalog?.endpoints ?? [];
    const known = endpointOf(this.store.get());
    if (page.endpoint !== '' && known === undefined) {
      this.say(`There is no endpoint ${page.endpoint} for this token`);
    }
    const values = catalog?.project === undefined ? {} : { project: catalog.project };
    const endpoint = (known ?? first)?.name ?? '';
    this.change({ endpoint, values: { ...page.values, ...values } });
    if (this.#isComplete() && known !== undefined) void this.run();
  }

  #isComplete(): boolean {
    const endpoint = endpointOf(this.store.get());
    const { values } = this.store.get().page;
    return (
      endpoint?.parameters.every((one) => !one.required || (values[one.name] ?? '') !== '') ?? false
    );
  }

  readonly disconnect = (): void => {
    this.cancel();
    keepToken(undefined);
    this.#api = undefined;
    this.#token = '';
    this.store.update({ catalog: undefined, run: { kind: 'none' }, faults: [] });
  };

  /** Keeps the token until the tab is closed, or no longer. */
  readonly toggleKeep = (): void => {
    const keepsToken = !this.store.get().keepsToken;
    keepToken(keepsToken ? this.#token : undefined);
    this.store.update({ keepsToken });
  };

  readonly change = (patch: Partial<PageState>): void => {
    const last = this.store.get();
    const page = { ...last.page, ...patch };
    const isOther = page.language !== last.page.language || page.endpoint !== last.page.endpoint;
    this.store.update({ page, ...(isOther && { faults: [] }) });
    // Browsers refuse more than a few changes of the address in a second.
    clearTimeout(this.#addressTimer);
    this.#addressTimer = setTimeout(
      () => history.replaceState(null, '', this.link()),
      addressDelayMs,
    );
    this.#checkSoon();
  };

  /** The address that shows what the page shows; it has no token. */
  readonly link = (): string => {
    const { origin, pathname } = location;
    return `${origin}${pathname}${printFragment(this.store.get().page)}`;
  };

  readonly pickEndpoint = (name: string): void => {
    if (name === this.store.get().page.endpoint) return;
    this.cancel();
    this.store.update({ run: { kind: 'none' } });
    this.change({ endpoint: name, language: 'stored', sql: '', lql: '' });
  };

  readonly show = (language: Language): void => {
    const { page } = this.store.get();
    const endpoint = endpointOf(this.store.get());
    const isEmpty = language !== 'stored' && page[language] === '';
    const text = isEmpty && endpoint ? { [language]: firstQuery(endpoint, language) } : {};
    this.change({ language, ...text });
  };

  /** What would be sent now. */
  readonly bodyOf = (page: PageState): Body => {
    const { catalog } = this.store.get();
    const endpoint = catalog?.endpoints.find(({ name }) => name === page.endpoint);
    const nowMs = catalog?.fixedNowMs ?? Date.now();
    const values = valuesToSend(page, endpoint?.parameters ?? [], nowMs);
    return page.language === 'stored'
      ? values
      : { ...values, [page.language]: page[page.language] };
  };

  readonly run = async (): Promise<void> => {
    const { page } = this.store.get();
    this.#running?.abort();
    const running = new AbortController();
    this.#running = running;
    const last = lastRows(this.store.get().run);
    this.store.update({ run: { kind: 'running', last }, status: 'Running' });
    const body = this.bodyOf(page);
    try {
      const columns = this.#columnsOf(page, body, running.signal);
      const result = await this.api().run(page.endpoint, body, running.signal);
      const run = { kind: 'done', result, columns: await columns, asked: page, body } as const;
      if (this.#running !== running) return;
      this.store.update({ run: withColumns(run), status: `${result.rows.length} rows` });
      this.#remember(page);
    } catch (error) {
      if (this.#running === running) this.#fail(error, running.signal.aborted);
    }
  };

  #fail(error: unknown, isCancelled: boolean): void {
    const message = messageOf(error);
    if (isCancelled) {
      this.store.update({ run: { kind: 'cancelled' }, status: 'Cancelled' });
      return;
    }
    if (error instanceof ApiError && error.status === 401) {
      this.disconnect();
      this.store.update({ connectFault: message });
      return;
    }
    const faults = error instanceof ApiError ? error.faults : [];
    this.store.update({ run: { kind: 'failed', message, faults }, status: message });
  }

  #remember({ endpoint, language, ...page }: PageState): void {
    if (language === 'stored') return;
    const past = { endpoint, language, text: page[language], at: Date.now() };
    this.store.update({ history: addToHistory(past) });
  }

  /** The columns of the answer, which a check tells; none if it cannot. */
  async #columnsOf(
    page: PageState,
    body: Body,
    signal: AbortSignal,
  ): Promise<readonly FieldSchema[]> {
    const stored = endpointOf(this.store.get())?.schema.fields ?? [];
    if (page.language === 'stored') return stored;
    return this.api()
      .check(page.endpoint, body, signal)
      .then(({ fields }) => fields)
      .catch(() => []);
  }

  readonly cancel = (): void => this.#running?.abort();

  /** Checks the query a moment after the last key; an answer that comes too late is dropped. */
  #checkSoon(): void {
    clearTimeout(this.#checkTimer);
    this.#checking?.abort();
    const { page, faults } = this.store.get();
    const endpoint = endpointOf(this.store.get());
    const isOwn = page.language !== 'stored' && endpoint?.sandbox === true;
    if (isOwn && page[page.language as 'sql' | 'lql'].trim() !== '') {
      this.#checkTimer = setTimeout(() => void this.#check(endpoint), checkDelayMs);
    } else if (faults.length > 0) this.store.update({ faults: [] });
  }

  async #check(endpoint: Endpoint): Promise<void> {
    const checking = new AbortController();
    this.#checking = checking;
    const { page } = this.store.get();
    // What is missing in the form is no fault of the query.
    const missing = endpoint.parameters.filter(({ required }) => required);
    const filled = missing.map(({ name, oneOf }) => [name, oneOf?.[0] ?? 'x'] as const);
    const body = { ...Object.fromEntries(filled), ...this.bodyOf(page) };
    try {
      await this.api().check(page.endpoint, body, checking.signal);
      this.store.update({ faults: [] });
    } catch (error) {
      if (checking.signal.aborted || !(error instanceof ApiError)) return;
      const faults = error.faults.filter(({ location }) => location === page.language);
      this.store.update({ faults });
    }
  }

  /** Changes the query so that only rows with a value remain, and runs it. */
  readonly filterOn = (wanted: Wanted): void => {
    const { page, run } = this.store.get();
    const columns = lastRows(run)?.columns ?? [];
    const tables = endpointOf(this.store.get())?.tables ?? [];
    const isSql = page.language === 'sql';
    // Without a query of one's own, LQL reads what the stored query reads.
    const text = isSql
      ? filterSql(page.sql, wanted, { tables, columns })
      : filterLql(page.language === 'lql' ? page.lql : '', wanted, columns);
    if (text === undefined) {
      this.say('This value cannot be a filter of this query');
      return;
    }
    this.change(isSql ? { sql: text } : { language: 'lql', lql: text });
    void this.run();
  };

  /** Asks for rows of a stretch of time, in seconds since 1970. */
  readonly zoomTo = (from: number, to: number): void => {
    const range = timeRangeOf(endpointOf(this.store.get())?.parameters ?? []);
    if (range === undefined) return;
    const print = (seconds: number) =>
      new Date(Math.floor(seconds) * 1000).toISOString().replace('.000Z', 'Z');
    const bounds = { [range.start]: print(from), [range.end]: print(to + 1) };
    this.change({ window: 'custom', values: { ...this.store.get().page.values, ...bounds } });
    void this.run();
  };

  readonly toggleZone = (): void => {
    const zone = this.store.get().zone === 'utc' ? 'local' : 'utc';
    keepZone(zone);
    this.store.update({ zone });
  };

  readonly forgetHistory = (): void => {
    clearHistory();
    this.store.update({ history: [] });
  };

  readonly say = (notice: string): void => {
    this.store.update({ notice });
    clearTimeout(this.#noticeTimer);
    this.#noticeTimer = setTimeout(() => this.store.update({ notice: '' }), noticeMs);
  };

  /** Does something, and says what went wrong. */
  readonly attempt = async (work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => this.say(messageOf(error)));

  /** Copies a text, and says so. */
  readonly copy = async (text: string, notice: string): Promise<void> => {
    this.say((await copyText(text)) ? notice : 'The browser refused to copy');
  };
}

/** What a part of the page is drawn from. */
export interface PageProps {
  readonly app: App;
  readonly state: AppState;
}

/** What a part of an endpoint's page is drawn from. */
export interface EndpointProps extends PageProps {
  readonly endpoint: Endpoint;
}

/** The rows that stay on the page until a run has others. */
function lastRows(run: Run): DoneRun | undefined {
  if (run.kind === 'done') return run;
  return run.kind === 'running' ? run.last : undefined;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Where the columns are not known, those of the first row. */
function withColumns<
  T extends { columns: readonly FieldSchema[]; result: { rows: readonly Row[] } },
>(run: T): T {
  if (run.columns.length > 0) return run;
  const names = Object.keys(run.result.rows[0] ?? {});
  return { ...run, columns: names.map((name) => ({ name, type: 'STRING', mode: 'NULLABLE' })) };
}
