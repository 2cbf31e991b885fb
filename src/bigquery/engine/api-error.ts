import { type Reason, ServiceError, StatementFault } from '../../errors/errors.js';
import { digestText } from '../../process/digest.js';
import { stoppedError } from '../../process/stop-errors.js';
import { type ApiFailure, passingReasons } from './api.js';

type Refusal = readonly [reason: Reason, message: string];

const noStart: Refusal = [
  'resourcesExceeded',
  'The query has no start time, which its tables require: compare timestamp with a start',
];
const tooMuch: Refusal = [
  'resourcesExceeded',
  "The query needs more than BigQuery's limits: narrow its time window",
];
const busy: Refusal = ['backendBusy', 'BigQuery is busy: try again'];

/**
 * The errors for callers, by BigQuery's reasons. All other reasons are the server's fault: credentials, permissions,
 * missing tables, statements that BigQuery rejects.
 * @see https://cloud.google.com/bigquery/docs/error-messages
 */
const refusals: Readonly<Record<string, Refusal>> = {
  bytesBilledLimitExceeded: [
    'resourcesExceeded',
    'The query would read more than its limit (--bigquery-max-bytes): narrow its time window',
  ],
  resourcesExceeded: tooMuch,
  billingTierLimitExceeded: tooMuch,
  responseTooLarge: [
    'resourcesExceeded',
    'The result is larger than BigQuery returns: select fewer rows or columns',
  ],
  ...Object.fromEntries([...passingReasons].map((reason) => [reason, busy])),
  noAnswer: ['backendBusy', 'BigQuery does not answer: try again'],
  quotaExceeded: ['backendBusy', 'A quota of BigQuery is used up: try later'],
  unreachable: ['backendBusy', 'BigQuery cannot be reached: try again'],
};

/** The reasons of a job that timed out or was cancelled. */
const stops: ReadonlySet<string> = new Set(['stopped', 'timeout']);

/**
 * Errors of a statement on its data, by the beginnings of BigQuery's messages. The rest of a message holds values,
 * and is not quoted: it could show other callers' rows.
 */
const dataFailures: readonly (readonly [beginning: RegExp, message: string])[] = [
  [/^division by zero/i, 'division by zero'],
  [/^(int64|numeric|bignumeric|float64|double) overflow/i, 'A number is out of range'],
  [/^[\w ]*(overflow|out of range)/i, 'A value is out of range'],
  [
    /^(bad \w+ value|could not cast|invalid (date|datetime|time|timestamp)|failed to parse)/i,
    'Bad value: a cast failed on the data',
  ],
  [/^cannot parse regular expression/i, 'Cannot parse regular expression'],
  [/^array index/i, 'Array index is out of bounds'],
  [/^scalar subquery produced more than one/i, 'Scalar subquery produced more than one element'],
];

/** Translates a failure for the caller; one that is a fault of the server quotes nothing. */
export function apiServiceError(
  failure: ApiFailure,
  { sql, signal }: { readonly sql: string; readonly signal: AbortSignal },
): Error {
  const { reason, message } = failure;
  if (signal.aborted) return stoppedError(signal);
  if (stops.has(reason)) {
    const why = 'The query ran past its time limit (--query-timeout)';
    return new ServiceError('timeout', why, { cause: failure });
  }
  const refusal = refusals[reason] ?? dataFailure(reason, message);
  if (refusal !== undefined) return new ServiceError(...refusal, { cause: failure });
  const kind = `BigQuery ${reason}`;
  return new StatementFault(message, { kind, digest: digestText(sql), cause: failure });
}

/**
 * Returns the error of a statement on its data. A message that ends with a position is about the statement itself,
 * which is ours.
 */
function dataFailure(reason: string, message: string): Refusal | undefined {
  if (reason !== 'invalidQuery') return undefined;
  if (/^cannot query over table .* without a filter over column/i.test(message)) return noStart;
  const found = dataFailures.find(([beginning]) => beginning.test(message));
  if (found === undefined && / at \[\d+:\d+\]$/.test(message)) return undefined;
  return ['invalidQuery', found?.[1] ?? 'The query failed on its data'];
}
