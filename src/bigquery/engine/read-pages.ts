import { setTimeout as sleep } from 'node:timers/promises';
import type { Statement } from '../../engine/engine.js';
import { untilStopped } from '../../process/stop-errors.js';
import { ApiFailure, type BigQueryApi } from './api.js';
import { cancelJob, type JobOptions, type JobPage, nextPage, readBill, startJob } from './job.js';

/** The options of a job, the signal that stops it, and a function that receives its bill. */
interface Reading {
  readonly api: BigQueryApi;
  readonly options: JobOptions;
  readonly stop: AbortSignal;
  /**
   * Called once with the billed bytes, before the first page or after the job is abandoned; undefined if BigQuery does
   * not report them.
   */
  readonly onBill: (bytes: number | undefined) => void;
  /** The jobs that are being cancelled. */
  readonly cancelling: Set<Promise<unknown>>;
}

/**
 * Yields the pages of a statement's answer, until the reader stops. If the signal fires, reading ends at once.
 * @throws ApiFailure, ServiceError `timeout`
 */
export async function* readPages(statement: Statement, reading: Reading): AsyncGenerator<JobPage> {
  const { api, options, stop, onBill } = reading;
  const first = startJob(api, statement, options);
  const next = (page: JobPage) => untilStopped(nextPage(api, page, statement.maxRows + 1), stop);
  let isBilled = false;
  let page: JobPage;
  try {
    page = await untilStopped(first, stop);
    while (!page.jobComplete) page = await next(page);
    // The answer to the first request reports the billed bytes if the job has ended by then; later answers do not.
    const bill = () => readBill(api, page).catch(() => undefined);
    onBill(page.totalBytesBilled ?? (await untilStopped(bill(), stop)));
    isBilled = true;
  } finally {
    if (!isBilled) giveUp(first, reading);
  }
  yield page;
  while (page.pageToken !== undefined) {
    page = await next(page);
    yield page;
  }
}

/**
 * Cancels a job, even one that BigQuery has not named yet, and reads its bill, because a cancelled job may cost as much
 * as a finished one.
 */
function giveUp(started: Promise<JobPage>, { api, onBill, cancelling }: Reading): void {
  const cancelled = started.then((page) => cancelJob(api, page)).catch(() => {});
  cancelling.add(cancelled);
  void cancelled.then(() => cancelling.delete(cancelled));
  const bill = started.then(
    (page) => cancelled.then(() => untilBilled(api, page)).catch(() => undefined),
    // BigQuery does not bill what it refuses.
    (error: unknown) =>
      error instanceof ApiFailure && error.reason !== 'noAnswer' ? 0 : undefined,
  );
  void bill.then(onBill);
}

/** The intervals between checks of a cancelled job, in milliseconds. */
const waitsMs = [500, 1000, 2000, 4000, 8000];

async function untilBilled(api: BigQueryApi, page: JobPage): Promise<number | undefined> {
  for (const ms of waitsMs) {
    const bytes = await readBill(api, page);
    if (bytes !== undefined) return bytes;
    await sleep(ms, undefined, { ref: false });
  }
  return undefined;
}
