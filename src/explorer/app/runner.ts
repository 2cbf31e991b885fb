import type { FieldSchema } from '../../types/table-schema.js';
import { type Api, ApiError, errorMessage } from '../client/api.js';
import { countBySource, countByTime, stepFor, surroundingLines } from '../model/counts.js';
import type { AnswerRow, ListedTable } from '../model/endpoint.js';
import { hasRecords, type SourceCount } from '../model/first-page.js';
import { type Histogram, histogramOfCounts } from '../model/histogram.js';
import { pageMatches } from '../model/matches.js';
import { type PageState, timeWindows } from '../model/page-state.js';
import { rowOfKey } from '../model/record-key.js';
import { pageStretch, valueMillis } from '../model/time.js';
import {
  type AppState,
  clockMs,
  pageValues,
  type Run,
  requestBody,
  shownEndpoint,
  withoutRange,
} from './app-state.js';
import type { PageStore } from './store.js';

/** Runs the page's queries: the query for rows, and the queries that count matches. */
export class Runner {
  readonly store: PageStore<AppState>;
  readonly #api: () => Api;
  #running: AbortController | undefined;

  constructor(store: PageStore<AppState>, api: () => Api) {
    this.store = store;
    this.#api = api;
  }

  /** Shows that a run begins; its query may not be known yet. */
  start(): AbortSignal {
    this.cancel();
    this.#running = new AbortController();
    const { kind, rows, startMs } = this.store.get().run;
    const isFirst = kind === 'running' && rows === undefined;
    this.#change({ kind: 'running', startMs: isFirst ? startMs : performance.now() }, 'Running');
    return this.#running.signal;
  }

  /** Ends a run that began, but has no query. */
  stop(signal: AbortSignal): void {
    if (this.#running?.signal === signal) this.#change({ kind: 'cancelled' }, 'Cancelled');
  }

  /** Whether a run was cancelled, or another one began. */
  readonly isStopped = (signal: AbortSignal): boolean =>
    signal.aborted || this.#running?.signal !== signal;

  /**
   * Runs the page's query. Earlier rows stay until new ones arrive. The counts of the sources may be known.
   * @returns whether the token was refused
   */
  async run(counts?: readonly SourceCount[]): Promise<boolean> {
    const signal = this.start();
    const { page, histogram, counted } = this.store.get();
    try {
      const reading = this.#rows(page, signal);
      void this.#count(page, signal, counts);
      const done = await reading;
      if (this.#running?.signal !== signal) return false;
      this.#change({ kind: 'done', rows: done }, `${done.result.rows.length} rows`);
    } catch (error) {
      if (this.#running?.signal !== signal) return false;
      const isFailed = !signal.aborted;
      // The rows stay, and with them their histogram; the sources are counted for a failed query, too.
      this.store.update({ histogram, counted });
      if (isFailed) return this.#fail(error);
      this.#change({ kind: 'cancelled' }, 'Cancelled');
    }
    return false;
  }

  readonly cancel = (): void => this.#running?.abort();

  /** Cancels and forgets the run: a late answer changes nothing. */
  readonly drop = (): void => {
    this.cancel();
    this.#running = undefined;
  };

  async #rows(page: PageState, signal: AbortSignal) {
    const body = requestBody(this.store.get(), page);
    const own = page.language === 'stored' && shownEndpoint(this.store.get())?.schema;
    const [result, known] = await Promise.all([
      this.#api().run(page.endpoint, body, signal),
      own ||
        this.#api()
          .check(page.endpoint, body, signal)
          .catch(() => undefined),
    ]);
    return { result, columns: known?.fields ?? columnsOfRow(result.rows[0]), asked: page, body };
  }

  #change(run: Partial<Run>, status: string): void {
    const last = this.store.get().run;
    this.store.update({ run: { ...last, message: '', faults: [], ...run }, status });
  }

  #fail(error: unknown): boolean {
    const message = errorMessage(error);
    const { faults = [], status } = error instanceof ApiError ? error : {};
    this.#change({ kind: 'failed', message, faults }, message);
    return status === 401;
  }

  /** Runs SQL that the page itself needs, with the parameter values of the user's query. */
  async ask(
    page: PageState,
    sql: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<readonly AnswerRow[]> {
    const body = { ...pageValues(this.store.get(), page), sql };
    return (await this.#api().run(page.endpoint, body, signal)).rows;
  }

  /** Runs SQL over all time, ignoring the page's time range. */
  askAlways(sql: string, signal?: AbortSignal): Promise<readonly AnswerRow[]> {
    return this.ask(withoutRange(this.store.get()), sql, signal);
  }

  /** Reads the record that a link names. */
  async readRecord(table: ListedTable, key: string): Promise<AnswerRow | undefined> {
    const [, micros, id = ''] = /^(-?\d+)\.(.*)$/.exec(key) ?? [];
    if (micros === undefined) return undefined;
    const lines = surroundingLines(table, { timestamp: BigInt(micros), id }, 'before', 1);
    return rowOfKey(await this.askAlways(lines), key);
  }

  /** Counts the records of each source in the page's time range. */
  async countSources(page: PageState, signal?: AbortSignal): Promise<readonly SourceCount[]> {
    const endpoint = shownEndpoint(this.store.get());
    if (endpoint === undefined || !hasRecords(endpoint)) return [];
    const sinceMs = clockMs(this.store.get()) - timeWindows.hour.ms;
    const rows = await this.ask(page, countBySource(endpoint.tables, sinceMs), signal);
    return rows.map(({ source, records, recent, oldest, newest }) => ({
      name: String(source),
      records: Number(records),
      recent: Number(recent),
      oldestMs: valueMillis(oldest),
      newestMs: valueMillis(newest),
    }));
  }

  /** Shows the counts of the sources, and the matches over time. Rows are shown without waiting for these. */
  async #count(
    page: PageState,
    signal: AbortSignal,
    counts?: readonly SourceCount[],
  ): Promise<void> {
    const set = (patch: Partial<AppState>) => {
      if (!this.isStopped(signal)) this.store.update(patch);
    };
    const draw = (patch: Partial<AppState>) => this.store.get().run.kind !== 'failed' && set(patch);
    const counting = counts ? Promise.resolve(counts) : this.countSources(page, signal);
    const drawing = this.#readHistogram(page, counting, signal);
    await Promise.all([
      counting.then((sources) => set({ sources })),
      drawing.then((histogram) => draw({ histogram, counted: page })),
    ]).catch(() => draw({ histogram: undefined, counted: page }));
  }

  async #readHistogram(
    page: PageState,
    counting: Promise<readonly SourceCount[]>,
    signal: AbortSignal,
  ): Promise<Histogram | undefined> {
    const endpoint = shownEndpoint(this.store.get());
    const matches = endpoint && pageMatches(page, endpoint);
    if (endpoint === undefined || matches === undefined) return undefined;
    let { fromMs, toMs } = pageStretch(page, endpoint.parameters, clockMs(this.store.get()));
    if (fromMs === undefined || toMs === undefined) {
      // The times of the source's records replace the open ends of the range.
      const held = (await counting).find(({ name }) => name === matches.table.name);
      fromMs ??= held?.oldestMs;
      toMs ??= held?.newestMs;
    }
    if (fromMs === undefined || toMs === undefined) return undefined;
    const step = stepFor(fromMs, toMs);
    const rows = await this.ask(page, countByTime(matches, step), signal);
    // An incomplete set of bars would show a wrong total.
    if (rows.length >= endpoint.maxRows) return undefined;
    return histogramOfCounts(rows, { fromMs, toMs, stepMs: step / 1000 });
  }
}

/** Derives columns from the first row, for an answer whose columns are not known. */
function columnsOfRow(row: AnswerRow = {}): readonly FieldSchema[] {
  return Object.keys(row).map((name) => ({ name, type: 'STRING', mode: 'NULLABLE' }));
}
