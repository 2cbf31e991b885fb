import { setTimeout as sleep } from 'node:timers/promises';
import { encodeResult, tooLarge } from '../../engine/encode-result.js';
import type {
  Dialect,
  Engine,
  ExplainingEngine,
  PoolState,
  RunOptions,
  Statement,
} from '../../engine/engine.js';
import { withTimeLimit } from '../../engine/time-limit.js';
import { ServiceError } from '../../errors/errors.js';
import { createQueue, type Queue } from '../../process/fair-queue.js';
import { shutdownError, stoppedError } from '../../process/stop-errors.js';
import { scalar } from '../../types/types.js';
import { ApiFailure, type BigQueryApi } from './api.js';
import { apiServiceError } from './api-error.js';
import { type Budget, budgetError, createBudget } from './budget.js';
import { rowPrinter } from './decode-row.js';
import { type DryRun, dryRun, type JobPage } from './job.js';
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
export interface BigQueryEngine extends ExplainingEngine {
  /**
   * Returns BigQuery's estimate for a statement without running it. For a statement that asks for the newest rows,
   * estimates the longest window, unless the statement has a start.
   * @throws ApiFailure
   */
  dryRun(statement: Statement): Promise<DryRun>;
}

/** Opens engines for each state of the tables; their statements share one queue and one budget. */
export type BigQueryPool = ReturnType<typeof createBigQueryPool>;

/** Creates a pool whose engines run each statement as a job of BigQuery. */
export function createBigQueryPool(options: BigQueryOptions) {
  const { maxConcurrentQueries: maxRunning, maxQueuedQueries: maxWaiting, callers } = options;
  const maxRunningPerCaller = callers > 1 ? Math.max(1, maxRunning - 1) : maxRunning;
  const queue = createQueue({ maxRunning, maxRunningPerCaller, maxWaiting });
  const budget = createBudget(options.maxBytesPerDay, options.today);
  const outage = createOutage(options.api);
  const estimate = (statement: Statement) => {
    const longest = withLongest(statement, options.maxWindowMs);
    return dryRun(options.api, longest, { location: options.location() });
  };
  return {
    async open(): Promise<BigQueryEngine> {
      const closing = new AbortController();
      const cancelling = new Set<Promise<unknown>>();
      const run = createRun({ ...options, queue, budget, closing: closing.signal, cancelling });
      return {
        dialect,
        run(statement, how) {
          const running = run(statement, how);
          void running.then(() => outage.note(), outage.note);
          return running;
        },
        dryRun: estimate,
        async explainPlan(statement) {
          const { totalBytesProcessed } = await estimate(statement);
          return `BigQuery would read at most ${totalBytesProcessed} bytes`;
        },
        async close() {
          closing.abort();
          await sleep(0);
          await Promise.race([Promise.all(cancelling), sleep(cancelMs, undefined, { ref: false })]);
        },
      };
    },
    state(): PoolState {
      const { running, waiting } = queue;
      const { totalBytes: billedBytes } = budget;
      const canStart = !outage.isOn();
      return { running, waiting, spare: maxRunning - running, canStart, billedBytes };
    },
  };
}

const dialect: Dialect = {
  matchPattern: {
    sql: "SELECT REGEXP_CONTAINS('', @p_pattern) AS c1",
    columns: [{ name: 'c1', type: scalar('BOOL') }],
  },
  isRemote: true,
};

/** The maximum wait for cancelled jobs when closing, in milliseconds. */
const cancelMs = 3000;

interface Parts extends BigQueryOptions {
  /** The jobs that are being cancelled. */
  readonly cancelling: Set<Promise<unknown>>;
  readonly queue: Queue;
  readonly budget: Budget;
  readonly closing: AbortSignal;
}

function createRun(parts: Parts): Engine['run'] {
  const { queue, closing, queryTimeoutMs, maxWindowMs, maxResultBytes } = parts;
  return async (statement, { signal, caller = '', labels = {}, onStart = () => {} }) => {
    if (closing.aborted) throw shutdownError();
    const tries = withStarts(statement, maxWindowMs);
    const enteredMs = performance.now();
    const leave = await queue.enter({ signal, caller });
    const queueMs = performance.now() - enteredMs;
    onStart();
    try {
      return await withTimeLimit([signal, closing], queryTimeoutMs, async (limit) => {
        const how = { signal: limit, caller, labels };
        const { rows, engineMs, ...more } = await readAnswers(tries, parts, how);
        const startMs = performance.now();
        const encoded = await encodeResult(rows, statement, maxResultBytes);
        const timings = { queueMs, engineMs, encodeMs: performance.now() - startMs };
        return { ...encoded, timings, ...more };
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
    const { billedBytes = 0, engineMs = 0 } = last ?? {};
    const maxBytes = parts.maxBytes - billedBytes;
    const isFirst = last === undefined;
    if (!isFirst && maxBytes < leastBytes) break;
    const run = readAnswer(statement, { ...parts, maxBytes }, how);
    const answer = await run.catch((error: unknown): undefined => {
      if (isFirst || !isTooExpensive(error)) throw error;
    });
    if (answer === undefined) break;
    const isEnough = answer.rows.length >= Math.min(rows, statement.maxRows + 1);
    last = {
      rows: answer.rows,
      billedBytes: billedBytes + answer.billedBytes,
      engineMs: engineMs + answer.engineMs,
      ...(!isEnough && note !== undefined && { note }),
    };
    if (isEnough) break;
  }
  if (last === undefined) throw new Error('no statement to run');
  return last;
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
  const { api, budget, closing, cancelling, maxBytes, queryTimeoutMs: timeoutMs } = parts;
  if (signal.aborted) throw stoppedError(signal);
  const startMs = performance.now();
  const list = createList(statement, parts.maxResultBytes);
  const reservation = budget.reserve(caller, maxBytes);
  const { bytes: reserved } = reservation;
  const options = { maxBytes: reserved, timeoutMs, labels, location: parts.location() };
  let billedBytes = 0;
  const onBill = (bytes = reserved) => {
    billedBytes = bytes;
    reservation.settle(bytes);
  };
  try {
    const reading = { api, options, stop: signal, cancelling, onBill };
    for await (const page of readPages(statement, reading)) if (list.add(page)) break;
    return { rows: list.rows, billedBytes, engineMs: performance.now() - startMs };
  } catch (error) {
    if (closing.aborted) throw shutdownError();
    if (!(error instanceof ApiFailure)) throw error;
    const isOverBudget = reserved < maxBytes && error.reason === 'bytesBilledLimitExceeded';
    throw isOverBudget
      ? budgetError('has too little left for this query', error)
      : apiServiceError(error, { sql: statement.sql, signal });
  }
}

/** Collects rows up to one more than the statement may return, and up to a maximum size. */
function createList({ columns = [], maxRows }: Statement, maxBytes: number) {
  let print: ReturnType<typeof rowPrinter> | undefined;
  const rows: Uint8Array[] = [];
  let bytes = 0;
  return {
    rows,
    /** Adds the rows of a page; returns whether there are enough now. @throws ServiceError `resourcesExceeded` */
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
