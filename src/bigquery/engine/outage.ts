import { setTimeout as sleep } from 'node:timers/promises';
import { ApiFailure, type BigQueryApi, passingReasons } from './api.js';
import { dryRun } from './job.js';

/** The delay before BigQuery is probed again, in milliseconds. */
const probeMs = 5000;

/** A probe reads nothing, and a dry run is not billed. */
const probe = { sql: 'SELECT 1 AS n', tables: [], values: {}, maxRows: 1 };

/**
 * Detects whether BigQuery refuses the server, and not only some statements: an outage begins with an error that is not
 * the statement's, and ends when BigQuery accepts a statement.
 */
export function createOutage(api: BigQueryApi) {
  let isOn = false;
  let isAsking = false;
  const isTaken = () =>
    dryRun(api, probe, { location: undefined }).then(
      () => true,
      (error: unknown) => !(error instanceof ApiFailure),
    );
  const askUntilOver = async () => {
    if (isAsking) return;
    isAsking = true;
    while (isOn) {
      await sleep(probeMs, undefined, { ref: false });
      // A statement of a caller may have ended it.
      if (isOn && (await isTaken())) isOn = false;
    }
    isAsking = false;
  };
  return {
    isOn: () => isOn,
    /** Records the result of a statement. */
    note(error?: unknown): void {
      const cause = error instanceof Error ? error.cause : undefined;
      const reason = cause instanceof ApiFailure ? cause.reason : undefined;
      const isRefused = reason !== undefined && outages.has(reason);
      const isAnswer = error === undefined || (reason !== undefined && !passingReasons.has(reason));
      if (isRefused) isOn = true;
      else if (isAnswer) isOn = false;
      void askUntilOver();
    },
  };
}

/** The reasons for which BigQuery refuses the server, not the statement. */
const outages: ReadonlySet<string> = new Set(
  'accessDenied authError billingNotEnabled noAnswer notFound unreachable'.split(' '),
);
