import { setTimeout as sleep } from 'node:timers/promises';
import { ApiFailure, type BigQueryApi } from './api.js';
import { cancelJob, type JobPage, readBill } from './job.js';

/** An abandoned job. */
export interface GivenUp {
  /** Settles once BigQuery was asked to cancel it, or cannot be. */
  readonly cancelled: Promise<unknown>;
  /** The bytes that it is billed for, since a cancelled job may cost as much as one that ends; undefined if nobody knows. */
  readonly bill: Promise<number | undefined>;
}

/** How long to wait between one look at a cancelled job and the next, in milliseconds. */
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
    // What BigQuery refused is not billed.
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
