import { setTimeout as sleep } from 'node:timers/promises';
import { ApiFailure, type BigQueryApi } from './api.js';
import { cancelJob, type JobPage, readBill } from './job.js';

/** An abandoned job. */
export interface GivenUp {
  /** Settles once BigQuery has been asked to cancel it, or if it cannot be asked. */
  readonly cancelled: Promise<unknown>;
  /**
   * The billed bytes, because a cancelled job may cost as much as a finished one; undefined if they cannot be
   * determined.
   */
  readonly bill: Promise<number | undefined>;
}

/** The intervals between checks of a cancelled job, in milliseconds. */
const waitsMs = [500, 1000, 2000, 4000, 8000];

/** Cancels a job, also one that BigQuery has not named yet. */
export function giveUp(api: BigQueryApi, started: Promise<JobPage>): GivenUp {
  const cancelled = started.then((page) => cancelJob(api, page)).catch(() => {});
  return { cancelled, bill: cancelled.then(() => billOf(api, started)) };
}

async function billOf(api: BigQueryApi, started: Promise<JobPage>): Promise<number | undefined> {
  try {
    const page = await started;
    return await untilBilled(api, page).catch(() => undefined);
  } catch (error) {
    // BigQuery does not bill what it refuses.
    return error instanceof ApiFailure && error.reason !== 'noAnswer' ? 0 : undefined;
  }
}

async function untilBilled(api: BigQueryApi, page: JobPage): Promise<number | undefined> {
  for (const ms of waitsMs) {
    const bytes = await readBill(api, page);
    if (bytes !== undefined) return bytes;
    await sleep(ms, undefined, { ref: false });
  }
  return undefined;
}
