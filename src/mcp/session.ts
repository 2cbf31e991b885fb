import { reasons, ServiceError } from '../errors/errors.js';
import type { DescribeEndpoints } from '../run/describe-endpoints.js';
import type { InspectEndpoint } from '../run/inspect-endpoint.js';
import type { Answer, FailedRun, RunEndpoint } from '../run/run-endpoint.js';
import type { RunRequest } from '../run/run-request.js';

/** The limits of an answer for a language model. */
export interface AnswerLimits {
  readonly maxRows: number;
  /** The size of the rows as JSON, in bytes. */
  readonly maxBytes: number;
}

/** Returns the status of the same request over HTTP: 200, or the status of the error. */
export function callStatus({ failure }: CallReport): number {
  if (failure === undefined) return 200;
  return failure instanceof ServiceError ? reasons[failure.faults[0].reason].code : 500;
}

/** The inputs of the tools, for one caller. */
export interface Session {
  readonly runEndpoint: RunEndpoint;
  readonly inspectEndpoint: InspectEndpoint;
  readonly describeEndpoints: DescribeEndpoints;
  readonly limits: AnswerLimits;
  /** The version of this program. */
  readonly version: string;
  /** Returns the parts of a request that the caller's token, headers or settings determine. */
  readonly terms: () => Pick<RunRequest, 'caller' | 'scope' | 'redact' | 'clock'>;
  /** Called after each call of a tool. */
  readonly onCall: (report: CallReport) => void;
}

/** A call of a tool and its outcome, for the log. */
export interface CallReport {
  /** Its start, on the clock of `performance.now()`. */
  readonly startMs: number;
  /** The endpoint whose rows or columns the tool requests. */
  readonly endpoint?: string;
  readonly run?: RunRequest;
  readonly answer?: Answer;
  readonly failedRun?: FailedRun;
  readonly failure?: unknown;
}
