import { untilStopped } from '../../process/stop-errors.js';
import type { Statement } from '../engine.js';
import type { BigQueryApi } from './api.js';
import { type JobOptions, type JobPage, nextPage, readBill, startJob } from './job.js';

/** The options of a job, the signal that stops it, and callbacks for its bill. */
interface Reading {
  readonly api: BigQueryApi;
  readonly options: JobOptions;
  readonly stop: AbortSignal;
  /** Called with the billed bytes before the first page; undefined if BigQuery does not report them. */
  readonly onBill: (bytes: number | undefined) => void;
  /** Called in place of `onBill` with a job that does not get so far. */
  readonly onGivenUp: (started: Promise<JobPage>) => void;
}

/**
 * Yields the pages of a statement's answer, until the reader stops. If the signal fires, reading ends at once.
 * @throws ApiFailure, ServiceError `timeout`
 */
export async function* readPages(
  statement: Statement,
  { api, options, stop, onBill, onGivenUp }: Reading,
): AsyncGenerator<JobPage> {
  const first = startJob(api, statement, options);
  const rowsWanted = statement.maxRows + 1;
  let isBilled = false;
  let page: JobPage;
  try {
    page = await untilStopped(first, stop);
    while (!page.jobComplete) page = await untilStopped(nextPage(api, page, rowsWanted), stop);
    // The answer to the first request reports the billed bytes if the job has ended by then; later answers do not.
    const bill = () => readBill(api, page).catch(() => undefined);
    onBill(page.totalBytesBilled ?? (await untilStopped(bill(), stop)));
    isBilled = true;
  } finally {
    if (!isBilled) onGivenUp(first);
  }
  yield page;
  while (page.pageToken !== undefined) {
    page = await untilStopped(nextPage(api, page, rowsWanted), stop);
    yield page;
  }
}
