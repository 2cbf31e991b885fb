import { setTimeout as sleep } from 'node:timers/promises';
import { stoppedError } from '../../common/stop-errors.js';
import type { Statement } from '../engine.js';
import type { BigQueryApi } from './api.js';
import { cancelJob, type JobOptions, nextPage, type Page, readBill, startJob } from './job.js';

/** How a job runs, what stops it, and who learns what it is billed for. */
interface Reading {
  readonly api: BigQueryApi;
  readonly options: JobOptions;
  readonly stop: AbortSignal;
  /** Called once, with bytes; undefined if BigQuery does not say. For a job that was given up, it may be called later. */
  readonly onBill: (bytes: number | undefined) => void;
}

/**
 * The parts of a statement's answer, until the reader has enough; the bill is known before the first one. A job that does not
 * get so far is cancelled, also one that BigQuery has not named yet. If the signal fires, reading ends at once.
 * @throws ApiFailure, ServiceError `timeout`
 */
export async function* readPages(
  statement: Statement,
  { api, options, stop, onBill }: Reading,
): AsyncGenerator<Page> {
  if (stop.aborted) throw stoppedError(stop);
  const first = startJob(api, statement, options);
  const rowsWanted = statement.maxRows + 1;
  let isBilled = false;
  let page: Page;
  try {
    page = await untilStopped(first, stop);
    while (!page.jobComplete) page = await untilStopped(nextPage(api, page, rowsWanted), stop);
    onBill(page.totalBytesBilled ?? (await untilStopped(billOf(api, page), stop)));
    isBilled = true;
  } finally {
    if (!isBilled) void giveUp(api, first).then(onBill);
  }
  yield page;
  while (page.pageToken !== undefined) {
    page = await untilStopped(nextPage(api, page, rowsWanted), stop);
    yield page;
  }
}

/** The result of work, or an error if the signal fires first. */
function untilStopped<T>(work: Promise<T>, stop: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(stoppedError(stop));
    stop.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => stop.removeEventListener('abort', leave));
  });
}

/** How long a cancelled job may take to end, in milliseconds, between one look and the next. */
const waitsMs = [500, 1000, 2000, 4000, 8000];

/** Cancels a job, and waits for its bill: a cancelled job may cost as much as one that ends. */
async function giveUp(api: BigQueryApi, started: Promise<Page>): Promise<number | undefined> {
  const page = await started.catch(() => undefined);
  // What BigQuery did not start is not billed.
  if (page === undefined) return 0;
  await cancelJob(api, page).catch(() => {});
  for (const ms of waitsMs) {
    const bytes = await billOf(api, page);
    if (bytes !== undefined) return bytes;
    await sleep(ms, undefined, { ref: false });
  }
  return undefined;
}

/** Undefined if the job has not ended, or its bill cannot be read. */
async function billOf(api: BigQueryApi, page: Page): Promise<number | undefined> {
  return readBill(api, page).catch(() => undefined);
}
