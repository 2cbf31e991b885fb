import { setTimeout as sleep } from 'node:timers/promises';
import { ServiceError } from '../../errors/errors.js';
import { createQueue, type Queue } from '../../process/fair-queue.js';
import { shutdownError, stoppedError } from '../../process/stop-errors.js';
import { encodeResult, tooLarge } from '../encode-result.js';
import type { Engine, PoolState, Result, RunOptions, Statement } from '../engine.js';
import { withTimeLimit } from '../time-limit.js';
import { ApiFailure, type BigQueryApi } from './api.js';
import { apiServiceError } from './api-error.js';
import { type Budget, budgetError, createBudget, type Reservation } from './budget.js';
import { rowPrinter } from './decode-row.js';
import { giveUp } from './give-up.js';
import { type DryRun, dryRun, type JobOptions, type JobPage } from './job.js';
import { createOutage } from './outage.js';
import { readPages } from './read-pages.js';
import { type Tries, withLongest, withStarts } from './time-window.js';

/** The limits of statements on BigQuery. */
export interface BigQueryOptions {
  readonly api: BigQueryApi;
  readonly maxConcurrentQueries: number;
  readonly maxQueuedQueries: number;
  /** The number of callers; with more than one, none may take all slots at once. */
  readonly callers: number;
  readonly queryTimeoutMs: number;
  readonly maxResultBytes: number;
  /** The maximum bytes billed for one statement. */
  readonly maxBytes: number;
  /** The maximum bytes billed per day for the statements of a caller. */
  readonly maxBytesPerDay: number;
  /** The maximum time range that a statement may read, ending at the time of the request, in milliseconds. */
  readonly maxWindowMs: number;
  /** The date in UTC, as `YYYY-MM-DD`. */
  readonly today: () => string;
  /** The location of the tables, such as `EU`; undefined until it is known. */
  readonly location: () => string | undefined;
}

/** An engine that runs statements on BigQuery. */
export interface BigQueryEngine extends Engine {
  /**
   * Returns BigQuery's estimate for a statement without running it. For a statement that asks for the newest rows,
   * estimates the longest window, unless the statement has a start.
   * @throws ApiFailure
   */
  dryRun(statement: Statement): Promise<DryRun>;
}

/** Opens engines for each state of the tables; their statements share one queue and one budget. */
export interface BigQueryPool {
  open(): Promise<BigQueryEngine>;
  state(): PoolState;
}

/** Creates a pool whose engines run each statement as a job of BigQuery. */
export function createBigQueryPool(options: BigQueryOptions): BigQueryPool {
  const { maxConcurrentQueries: maxRunning, maxQueuedQueries: maxWaiting, callers } = options;
  const maxRunningPerCaller = callers > 1 ? Math.max(1, maxRunning - 1) : maxRunning;
  const queue = createQueue({ maxRunning, maxRunningPerCaller, maxWaiting });
  const budget = createBudget(options.maxBytesPerDay, options.today);
  const outage = createOutage(options.api);
  return {
    async open() {
      const closing = new AbortController();
      const cancelling = new Set<Promise<unknown>>();
      const run = createRun({ ...options, queue, budget, closing: closing.signal, cancelling });
      return {
        dialect: 'bigquery',
        async run(statement, how) {
          try {
            const result = await run(statement, how);
            outage.note();
            return result;
          } catch (error) {
            outage.note(error);
            throw error;
          }
        },
        dryRun: (statement) => {
          const longest = withLongest(statement, options.maxWindowMs);
          return dryRun(options.api, longest, { location: options.location() });
        },
        async close() {
          closing.abort();
          await sleep(0);
          await Promise.race([Promise.all(cancelling), sleep(cancelMs, undefined, { ref: false })]);
        },
      };
    },
    state() {
      const { running, waiting } = queue;
      const { totalBytes: billedBytes } = budget;
      const canStart = !outage.isOn();
      return { running, waiting, spare: maxRunning - running, canStart, billedBytes };
    },
  };
}

/** How long to wait for jobs to be cancelled when closing, in milliseconds. */
const cancelMs = 3000;

interface Parts extends BigQueryOptions {
  /** The jobs that are being cancelled. */
  readonly cancelling: Set<Promise<unknown>>;
  readonly queue: Queue;
  readonly budget: Budget;
  readonly closing: AbortSignal;
}

function createRun(parts: Parts): Engine['run'] {
  const { queue, closing, queryTimeoutMs, maxWindowMs } = parts;
  return async (statement, { signal, caller = '', labels = {}, onStart = () => {} }) => {
    if (closing.aborted) throw shutdownError();
    const tries = withStarts(statement, maxWindowMs);
    const enteredMs = performance.now();
    const leave = await queue.enter({ signal, caller });
    const queueMs = performance.now() - enteredMs;
    onStart();
    try {
      return await withTimeLimit([signal, closing], queryTimeoutMs, async (limit) => {
        const answer = await readAnswers(tries, parts, { signal: limit, caller, labels });
        return encode(statement, answer, { queueMs, maxBytes: parts.maxResultBytes });
      });
    } finally {
      leave();
    }
  };
}

/** The rows of an answer, as JSON, and their cost. */
interface Answer {
  readonly rows: readonly Uint8Array[];
  readonly billedBytes: number;
  readonly engineMs: number;
  readonly note?: string;
}

/** The minimum that BigQuery bills for a statement that reads a table. */
const leastBytes = 10 * 1024 ** 2;

/** Runs the statements in order until one returns enough rows, or the next would cost too much. */
async function readAnswers({ tries, rows }: Tries, parts: Parts, how: RunOptions): Promise<Answer> {
  let last: Answer | undefined;
  for (const { statement, note } of tries) {
    const maxBytes = parts.maxBytes - (last?.billedBytes ?? 0);
    const answer = await readNext(statement, { ...parts, maxBytes }, how, last);
    if (answer === undefined) break;
    last = { ...answer, ...(note !== undefined && { note }) };
    if (answer.rows.length < Math.min(rows, statement.maxRows + 1)) continue;
    const { note: _, ...whole } = last;
    return whole;
  }
  if (last === undefined) throw new Error('no statement to run');
  return last;
}

/** Returns the answer to the next statement; undefined if it would cost too much and an earlier answer exists. */
async function readNext(
  statement: Statement,
  parts: Parts,
  how: RunOptions,
  before: Answer | undefined,
): Promise<Answer | undefined> {
  if (before === undefined) return readAnswer(statement, parts, how);
  if (parts.maxBytes < leastBytes) return undefined;
  try {
    const { rows, billedBytes, engineMs } = await readAnswer(statement, parts, how);
    const sum = {
      billedBytes: before.billedBytes + billedBytes,
      engineMs: before.engineMs + engineMs,
    };
    return { rows, ...sum };
  } catch (error) {
    if (isTooExpensive(error)) return undefined;
    throw error;
  }
}

function isTooExpensive(error: unknown): boolean {
  if (!(error instanceof ServiceError)) return false;
  const { cause } = error;
  const isOverLimit = cause instanceof ApiFailure && cause.reason === 'bytesBilledLimitExceeded';
  return isOverLimit || error.faults[0].reason === 'rateLimitExceeded';
}

/**
 * Runs a job and reads as many of its rows as the statement may return, and one more. If BigQuery does not report the
 * cost, the full reservation counts as billed.
 */
async function readAnswer(
  statement: Statement,
  parts: Parts,
  { signal, caller = '', labels = {} }: RunOptions,
): Promise<Answer> {
  const { api, budget, maxBytes, cancelling } = parts;
  if (signal.aborted) throw stoppedError(signal);
  const startMs = performance.now();
  const list = createList(statement, parts.maxResultBytes);
  const reservation = budget.reserve(caller, maxBytes);
  const options = jobOptions({ ...parts, maxBytes: reservation.bytes }, labels);
  let billedBytes = 0;
  const onBill = (bytes = reservation.bytes) => {
    billedBytes = bytes;
    reservation.settle(bytes);
  };
  const onGivenUp = (started: Promise<JobPage>) => {
    const { cancelled, bill } = giveUp(api, started);
    cancelling.add(cancelled);
    void cancelled.then(() => cancelling.delete(cancelled));
    void bill.then(onBill);
  };
  try {
    const reading = { api, options, stop: signal, onBill, onGivenUp };
    for await (const page of readPages(statement, reading)) if (list.add(page)) break;
    return { rows: list.rows, billedBytes, engineMs: performance.now() - startMs };
  } catch (error) {
    throw toOwnError(error, { statement, parts, signal, reservation });
  }
}

interface Failed {
  readonly statement: Statement;
  readonly parts: Parts;
  readonly signal: AbortSignal;
  readonly reservation: Reservation;
}

function toOwnError(error: unknown, { statement, parts, signal, reservation }: Failed): unknown {
  if (parts.closing.aborted) return shutdownError();
  if (!(error instanceof ApiFailure)) return error;
  const isShort = reservation.bytes < parts.maxBytes;
  if (isShort && error.reason === 'bytesBilledLimitExceeded') {
    return budgetError('has too little left for this query', error);
  }
  return apiServiceError(error, { sql: statement.sql, signal });
}

/** Collects rows up to one more than the statement may return, and up to a maximum size. */
function createList({ columns = [], maxRows }: Statement, maxBytes: number) {
  let print: ReturnType<typeof rowPrinter> | undefined;
  const rows: Uint8Array[] = [];
  let bytes = 0;
  return {
    rows,
    /** Whether there are enough. @throws ServiceError `resourcesExceeded` */
    add({ rows: more, schema }: JobPage): boolean {
      print ??= rowPrinter(columns, schema?.fields);
      for (const row of more.slice(0, maxRows + 1 - rows.length)) {
        const text = print(row);
        bytes += text.byteLength;
        if (bytes > maxBytes) throw tooLarge(maxBytes);
        rows.push(text);
      }
      return rows.length > maxRows;
    },
  };
}

async function encode(
  statement: Statement,
  { rows, billedBytes, engineMs, note }: Answer,
  { queueMs, maxBytes }: { readonly queueMs: number; readonly maxBytes: number },
): Promise<Result> {
  const startMs = performance.now();
  const encoded = await encodeResult(rows, statement, maxBytes);
  const timings = { queueMs, engineMs, encodeMs: performance.now() - startMs };
  return { ...encoded, timings, billedBytes, ...(note !== undefined && { note }) };
}

function jobOptions(
  { maxBytes, queryTimeoutMs: timeoutMs, location }: BigQueryOptions,
  labels: JobOptions['labels'],
): JobOptions {
  const allowed = Object.entries(labels).map(([key, value]) => [key, labelOf(value)] as const);
  return { maxBytes, timeoutMs, location: location(), labels: Object.fromEntries(allowed) };
}

/** @see https://cloud.google.com/bigquery/docs/labels-intro#requirements */
function labelOf(text: string): string {
  return text
    .toLowerCase()
    .replaceAll(/[^a-z0-9_-]/g, '_')
    .slice(0, 63);
}
