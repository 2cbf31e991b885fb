import { ApiFailure, type BigQueryApi, passingReasons } from './api.js';
import { isOutage } from './api-error.js';
import { dryRun } from './job.js';

/** Whether BigQuery refuses the server, and not only some statement. */
export interface Outage {
  isOn(): boolean;
  /** Notes how a statement ended. */
  note(error?: unknown): void;
}

/** How long to wait before BigQuery is asked whether it takes statements again, in milliseconds. */
const probeMs = 5000;

/** It reads nothing, and a dry run is not billed. */
const probe = { sql: 'SELECT 1 AS n', tables: [], values: {}, maxRows: 1 };

/** An outage begins with a failure that is not the statement's, and ends when BigQuery takes a statement. */
export function createOutage(api: BigQueryApi): Outage {
  let isOn = false;
  const askLater = () => setTimeout(ask, probeMs).unref();
  const ask = () => {
    if (!isOn) return;
    dryRun(api, probe, { location: undefined }).then(() => {
      isOn = false;
    }, askLater);
  };
  return {
    isOn: () => isOn,
    note(error) {
      const cause = error instanceof Error ? error.cause : undefined;
      const isRefused = cause instanceof ApiFailure && isOutage(cause);
      if (isRefused && !isOn) askLater();
      if (isRefused) isOn = true;
      const isAnswered = cause instanceof ApiFailure && !passingReasons.has(cause.reason);
      if (!isRefused && (error === undefined || isAnswered)) isOn = false;
    },
  };
}
