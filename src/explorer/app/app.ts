import type { FieldSchema } from '../../types/table-schema.js';
import { type Api, ApiError, createApi, errorMessage, exchangeCode } from '../client/api.js';
import { copyText } from '../client/clipboard.js';
import * as keep from '../client/keep.js';
import type { AnswerRow, CatalogAnswer, ListedEndpoint } from '../model/endpoint.js';
import { filterLevel } from '../model/filter-level.js';
import { filterLql } from '../model/filter-lql.js';
import { filterSql, type Wanted } from '../model/filter-sql.js';
import { firstEndpoint, hasRecords, type SourceCount } from '../model/first-page.js';
import type { Level } from '../model/levels.js';
import { liveStart } from '../model/live-query.js';
import { lqlAsSql, pageSource } from '../model/matches.js';
import {
  emptyState,
  isSameQuery,
  type Language,
  type PageState,
  printFragment,
  readFragment,
} from '../model/page-state.js';
import { keyOfRow, rowOfKey } from '../model/record-key.js';
import {
  type AppState,
  givenProject,
  isAtRest,
  isComplete,
  narrowerTime,
  noRun,
  shownEndpoint,
  widerTime,
} from './app-state.js';
import { createChecks } from './checks.js';
import { chooseFirst } from './first-query.js';
import { Runner } from './runner.js';
import { createPageStore } from './store.js';
import { followTheme } from './theme.js';

const noticeMs = 5000;
/** The state of an entry of the browser's history that the opening of a record made. */
const recordEntry = 'record';
const usedCode = 'This link was used before, or is too old. Enter the token instead.';
const refusedToken =
  'The server does not accept this token. Enter the one that it printed when it started, or ask who runs it for another.';

/** The page's state, and the user's actions. */
export class App {
  readonly store = createPageStore<AppState>({
    page: emptyState,
    isConnecting: true,
    connectFault: '',
    run: noRun,
    sources: [],
    showsKeys: false,
    faults: [],
    isCompleting: false,
    zone: keep.keptChoice('zone', ['local', 'utc']),
    theme: keep.keptChoice('theme', ['system', 'light', 'dark']),
    shownTheme: 'light',
    history: keep.readHistory(),
    status: '',
    notice: '',
  });
  readonly api = (): Api => {
    if (this.#api === undefined) throw new Error('not connected');
    return this.#api;
  };
  readonly runner = new Runner(this.store, this.api);
  readonly #checks = createChecks(this.store, this.api);
  #api: Api | undefined;
  #noticeTimer: ReturnType<typeof setTimeout> | undefined;

  /** Starts from the address: exchanges a printed link's code, or connects with a kept token. */
  readonly start = async (): Promise<void> => {
    followTheme(this.store);
    window.addEventListener('popstate', () => void this.#enter());
    await this.#enter();
  };

  /** Applies the address: at the start, after Back, and when a link is pasted into an open page. */
  async #enter(): Promise<void> {
    const { state, hasQuery, code } = readFragment(location.hash);
    const { page, run } = this.store.get();
    const isHeld = run.kind === 'done' && run.rows !== undefined;
    const isSame = isHeld && isSameQuery(state, run.rows.asked);
    // The columns, and a query typed but not run, stay as long as the rows do.
    const { record, isLive } = state;
    const shown = isSame ? { ...page, record, isLive } : state;
    this.store.update({ page: shown });
    // At once: the code must not stay in the history or in a copied address. Columns that were kept must survive a
    // reload.
    if (code !== undefined || isSame)
      this.#enterHistory('replace', { ...state, columns: shown.columns });
    const token = keep.keptToken();
    if (this.#api !== undefined && isSame) await this.#openLinked();
    else if (this.#api !== undefined) await this.#begin(hasQuery);
    else if (code !== undefined) await this.connect(exchangeCode(code), usedCode);
    else if (token !== undefined) await this.connect(token);
    else this.store.update({ isConnecting: false });
  }

  /** Connects with a token; `refusal` says what to do if the server does not accept it. */
  readonly connect = async (
    given: string | Promise<string>,
    refusal = refusedToken,
  ): Promise<void> => {
    this.store.update({ isConnecting: true, connectFault: '' });
    try {
      const token = await given;
      const api = createApi(token);
      const listing = api.projects();
      const catalog = await api.catalog();
      this.#api = api;
      keep.keepToken(token);
      this.store.update({ catalog, isConnecting: false });
      await this.#open(api, catalog, listing);
    } catch (error) {
      const isRefused = error instanceof ApiError && error.status === 401;
      if (isRefused && given === keep.keptToken()) keep.keepToken(undefined);
      const connectFault = isRefused ? refusal : errorMessage(error);
      this.store.update({ isConnecting: false, connectFault });
    }
  };

  /** Shows the page's frame at once; a page without a project waits for the list of projects. */
  async #open(
    api: Api,
    catalog: CatalogAnswer,
    listing: Promise<readonly string[]>,
  ): Promise<void> {
    const listed = listing.then((projects) => {
      if (this.#api === api) this.store.update({ projects });
    });
    const { page } = this.store.get();
    const endpoint = shownEndpoint(this.store.get()) ?? firstEndpoint(catalog);
    this.runner.start();
    if (endpoint && !isComplete(page, endpoint)) await listed;
    if (this.#api === api) await this.#begin(readFragment(location.hash).hasQuery);
  }

  /** Shows the page that the link asked for, and runs it if it has everything that the endpoint requires. */
  async #begin(hasQuery: boolean, how: 'push' | 'replace' = 'replace'): Promise<void> {
    const { catalog, page } = this.store.get();
    if (catalog === undefined) return;
    const known = shownEndpoint(this.store.get());
    if (page.endpoint !== '' && known === undefined) {
      this.say(`There is no endpoint ${page.endpoint} for this token`);
    }
    const endpoint = known ?? firstEndpoint(catalog);
    const project = endpoint && givenProject(this.store.get(), endpoint);
    const values = project === undefined ? page.values : { ...page.values, project };
    const live = endpoint && page.isLive ? liveStart(page, endpoint) : {};
    this.change({ endpoint: endpoint?.name ?? '', values, ...live });
    if (endpoint === undefined || !isComplete(this.store.get().page, endpoint)) {
      // A link without a project may be pasted into a page that shows rows.
      this.#clear();
      return;
    }
    if (hasQuery || !hasRecords(endpoint)) return this.run(how);
    const first = await chooseFirst(this.runner, this.change, catalog, endpoint);
    if (first === undefined) return;
    this.change(first.patch);
    const { timeNote } = first;
    if (timeNote !== undefined) this.say(timeNote.text);
    this.store.update({ timeNote });
    await this.run(how, first.counts);
  }

  /** Restarts with other values, such as another project. */
  readonly begin = (values: PageState['values']): Promise<void> => {
    this.change({ values });
    return this.#begin(readFragment(location.hash).hasQuery);
  };

  readonly disconnect = (connectFault = ''): void => {
    keep.keepToken(undefined);
    this.#checks.stop();
    this.#clear();
    this.#api = undefined;
    this.store.update({ catalog: undefined, projects: undefined, connectFault });
  };

  /** Clears the results of the queries. */
  #clear(): void {
    this.runner.drop();
    const nothing = { run: noRun, histogram: undefined, counted: undefined, sources: [] };
    this.store.update({ ...nothing, opened: undefined, faults: [] });
  }

  /** Changes the page; the address follows with the next run. */
  readonly change = (patch: Partial<PageState>): void => {
    const last = this.store.get();
    const page = { ...last.page, ...patch };
    const isOther = page.language !== last.page.language || page.endpoint !== last.page.endpoint;
    this.store.update({ page, ...(isOther && { faults: [] }) });
    this.#checks.checkSoon();
  };

  /** Changes the page, and runs it as a new entry of the browser's history. */
  readonly go = (patch: Partial<PageState>): Promise<void> => {
    this.change({ record: '', ...patch });
    return this.run();
  };

  /** Changes properties that do not affect the run, such as the columns, in the current history entry. */
  readonly adjust = (patch: Partial<PageState>): void => {
    this.change(patch);
    this.#enterHistory('replace');
  };

  /**
   * Starts or stops to follow new records, as a new entry of the browser's history. A query whose rows are not whole
   * records becomes LQL; after a stop, the query runs again.
   */
  readonly toggleLive = (): void => {
    const { page } = this.store.get();
    const endpoint = shownEndpoint(this.store.get());
    const start = endpoint && !page.isLive ? liveStart(page, endpoint) : {};
    this.change({ isLive: !page.isLive, record: '', ...start });
    this.store.update({ opened: undefined });
    this.#enterHistory('push');
    const isDone = this.store.get().run.kind === 'done' && isAtRest(this.store.get());
    if (page.isLive || !isDone) void this.run('replace');
  };

  /** Adds a field as a column, or removes the column. */
  readonly toggleColumn = (key: string): void => {
    const { columns } = this.store.get().page;
    const others = columns.filter((one) => one !== key);
    this.adjust({ columns: others.length < columns.length ? others : [...columns, key] });
  };

  /** Moves an added column by a number of places. */
  readonly moveColumn = (key: string, by: number): void => {
    const { columns } = this.store.get().page;
    const others = columns.filter((one) => one !== key);
    this.adjust({ columns: others.toSpliced(Math.max(0, columns.indexOf(key) + by), 0, key) });
  };

  /** Returns the address of the current page, or of another; it has no token. */
  readonly link = (page: PageState = this.store.get().page): string => {
    const { origin, pathname } = location;
    return `${origin}${pathname}${printFragment(page)}`;
  };

  /** Makes an entry of the browser's history for the page, or changes the current one; `kind` is kept with it. */
  #enterHistory(how: 'push' | 'replace', page?: PageState, kind?: typeof recordEntry): void {
    const link = this.link(page);
    if (link === location.href) return;
    if (how === 'push') history.pushState(kind, '', link);
    else history.replaceState(history.state, '', link);
  }

  readonly pickEndpoint = (name: string): void => {
    const { page } = this.store.get();
    if (name === page.endpoint) return;
    this.#clear();
    this.change({ ...emptyState, endpoint: name, values: page.values, window: page.window });
    void this.#begin(false, 'push');
  };

  /** Shows another language. An empty editor begins with the query that the page shows, or with the first source. */
  readonly show = (language: Language): void => {
    const { page } = this.store.get();
    const endpoint = shownEndpoint(this.store.get());
    const bare = `f:${endpoint?.tables[0]?.name ?? ''}`;
    const isEmpty = language !== 'stored' && page[language] === '';
    const asSql = (lql: string) => endpoint && lqlAsSql(lql, endpoint);
    const text = language === 'lql' ? bare : (asSql(page.lql) ?? asSql(bare) ?? '');
    this.change(isEmpty ? { language, [language]: text } : { language });
  };

  /** Runs the page's query; `counts` are those of its sources, if they are known. */
  readonly run = async (
    how: 'push' | 'replace' = 'push',
    counts?: readonly SourceCount[],
  ): Promise<void> => {
    if (how === 'push' && this.store.get().page.isLive) this.change({ isLive: false });
    const { page } = this.store.get();
    this.#enterHistory(how);
    const isRefused = await this.runner.run(counts);
    if (isRefused) this.disconnect(refusedToken);
    if (this.store.get().run.kind !== 'done') return;
    this.#remember(page);
    void this.#openLinked();
  };

  #remember({ endpoint, language, window, ...page }: PageState): void {
    if (language === 'stored') return;
    const past = { endpoint, language, text: page[language], window, at: Date.now() };
    this.store.update({ history: keep.addToHistory(past) });
  }

  /** Opens the record that the link names; requests a record that is not among the rows. */
  async #openLinked(): Promise<void> {
    const { page, run, opened } = this.store.get();
    const rows = run.rows?.result.rows ?? [];
    const isOpen = opened !== undefined && rows.includes(opened);
    if (isOpen && keyOfRow(opened) === page.record) return;
    const row = rowOfKey(rows, page.record);
    this.store.update({ opened: row });
    const endpoint = shownEndpoint(this.store.get());
    const table = endpoint && pageSource(page, endpoint);
    if (row !== undefined || page.record === '' || table === undefined) return;
    await this.attempt(async () => {
      const found = await this.runner.readRecord(table, page.record);
      if (this.store.get().page.record !== page.record || this.#api === undefined) return;
      if (found === undefined) this.say('The record of this link is not among the logs any more');
      this.store.update({ opened: found });
    });
  }

  /** Opens a row in the drawer, or closes it. Stepping from row to row makes no entry of the history. */
  readonly open = (row: AnswerRow | undefined): void => {
    const { opened } = this.store.get();
    this.store.update({ opened: row });
    this.change({ record: row === undefined ? '' : keyOfRow(row) });
    const isOpened = row !== undefined && opened === undefined && keyOfRow(row) !== '';
    // Closing goes back to the previous entry, so that Back does not reopen the record.
    if (row === undefined && opened && history.state === recordEntry) history.back();
    else this.#enterHistory(isOpened ? 'push' : 'replace', undefined, recordEntry);
  };

  /** Changes the query so that it keeps only rows with a value, or all others, and runs it. */
  readonly filterOn = (wanted: Wanted, columns: readonly FieldSchema[]): void => {
    const { page } = this.store.get();
    const tables = shownEndpoint(this.store.get())?.tables ?? [];
    // If the user has no query, LQL reads the tables of the stored query.
    const language = page.language === 'sql' ? 'sql' : 'lql';
    const text =
      language === 'sql'
        ? filterSql(page.sql, wanted, tables, columns)
        : filterLql(page.language === 'lql' ? page.lql : '', wanted, columns);
    this.#filter(text === undefined ? undefined : { language, [language]: text });
  };

  /** Keeps only the records of a level, or leaves those out, and runs the query. */
  readonly filterOnLevel = (level: Level, isOut: boolean): void => {
    const endpoint = shownEndpoint(this.store.get());
    this.#filter(endpoint && filterLevel(this.store.get().page, endpoint, level, isOut));
  };

  #filter(patch: Partial<PageState> | undefined): void {
    if (patch === undefined) this.say('This cannot be a filter of this query');
    else void this.go(patch);
  }

  readonly zoomTo = (fromMs: number, toMs: number): void =>
    void this.go(narrowerTime(this.store.get(), fromMs, toMs));

  readonly zoomOut = (): void => {
    const time = widerTime(this.store.get());
    if (time !== undefined) void this.go(time);
  };

  /** Changes the look of the page, and stores the choice for the next visit. */
  readonly choose = (choice: Partial<Pick<AppState, 'theme' | 'zone'>>): void => {
    for (const [name, value] of Object.entries(choice)) keep.keepChoice(name, value);
    this.store.update(choice);
  };

  readonly forgetHistory = (): void => {
    keep.clearHistory();
    this.store.update({ history: [] });
  };

  readonly say = (notice: string): void => {
    this.store.update({ notice });
    clearTimeout(this.#noticeTimer);
    this.#noticeTimer = setTimeout(() => this.store.update({ notice: '' }), noticeMs);
  };

  /** Runs an action, and shows its error. */
  readonly attempt = async (work: () => Promise<void>): Promise<void> =>
    work().catch((error: unknown) => this.say(errorMessage(error)));

  /** Copies text, and shows a notice. */
  readonly copy = async (text: string, notice: string): Promise<void> => {
    this.say((await copyText(text)) ? notice : 'The browser refused to copy');
  };
}

/** The properties of a part of the page. */
export interface PageProps {
  readonly app: App;
  readonly state: AppState;
}

/** The properties of a part of an endpoint's page. */
export interface EndpointProps extends PageProps {
  readonly endpoint: ListedEndpoint;
}
