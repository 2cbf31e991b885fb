import { stoppedError } from '../../common/stop-errors.js';
import type { Statement } from '../engine.js';
import type { BigQueryApi } from './api.js';
import { cancelJob, type JobOptions, nextPage, type Page, startJob } from './job.js';

/** How a job runs, and what stops it. */
interface Reading {
  readonly api: BigQueryApi;
  readonly options: JobOptions;
  readonly stop: AbortSignal;
}

/**
 * The parts of a statement's answer, until the reader has enough. If the signal fires, it ends at once and cancels the job,
 * also one that BigQuery has not named yet.
 * @throws ApiFailure, ServiceError `timeout`
 */
export async function* readPages(
  statement: Statement,
  { api, options, stop }: Reading,
): AsyncGenerator<Page> {
  if (stop.aborted) throw stoppedError(stop);
  const cancel = (page: Page) => cancelQuietly(api, page);
  let page = await untilStopped(startJob(api, statement, options), stop, cancel);
  for (;;) {
    if (page.jobComplete) yield page;
    if (page.jobComplete && page.pageToken === undefined) return;
    const before = page;
    const next = nextPage(api, before, statement.maxRows + 1);
    page = await untilStopped(next, stop, () => cancel(before));
  }
}

/** The result of work; if the signal fires first, an error, and `onLate` is called with the result once it is there. */
function untilStopped<T>(
  work: Promise<T>,
  stop: AbortSignal,
  onLate: (result: T) => void,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => {
      work.then(onLate, () => {});
      reject(stoppedError(stop));
    };
    stop.addEventListener('abort', leave, { once: true });
    const done = () => stop.removeEventListener('abort', leave);
    work.finally(done).then(resolve, reject);
  });
}

/** A job that cannot be cancelled ends by itself, at its time limit. */
function cancelQuietly(api: BigQueryApi, page: Page): void {
  cancelJob(api, page).catch(() => {});
}
