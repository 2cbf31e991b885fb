import type { Logger } from 'pino';
import type { Asked } from '../run/run-request.js';
import type { Env } from './app-env.js';
import { answerTimings } from './encode-response.js';
import { failureLine, failureReason } from './failure-line.js';
import type { Metrics } from './metrics.js';

/** The outputs for reports of requests. */
export interface RequestReporting {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Whether log lines include parameters and SQL. */
  readonly logQueries: boolean;
}

/** An answered request and its outcome. */
export interface RequestReport
  extends Readonly<
    Pick<Env['Variables'], 'endpoint' | 'failure' | 'run' | 'answer' | 'failedRun'>
  > {
  readonly requestId: string;
  readonly method: string;
  readonly status: number;
  /** Its arrival, on the clock of `performance.now()`. */
  readonly startMs: number;
  /** The label of the caller's token. */
  readonly label?: string | undefined;
}

/** Counts a request and logs a line for it. */
export function reportRequest(
  { log, metrics, logQueries }: RequestReporting,
  report: RequestReport,
): void {
  const { status, endpoint, answer, startMs } = report;
  // A 404 counts as an unknown endpoint, even if the endpoint is only outside the token's scope.
  const counted = status === 404 ? undefined : endpoint;
  const seconds = (performance.now() - startMs) / 1000;
  metrics.count({ endpoint: counted, status, seconds, state: answer?.state });
  logRequest({ log, logQueries }, report);
}

/** Logs a line for a request. */
export function logRequest(
  { log, logQueries }: Pick<RequestReporting, 'log' | 'logQueries'>,
  report: RequestReport,
): void {
  const { requestId, method, status, endpoint, label, answer, failure, failedRun, run } = report;
  // The log omits undefined values.
  const line = {
    requestId,
    method,
    status,
    ms: Math.round((performance.now() - report.startMs) * 100) / 100,
    endpoint: endpoint?.slice(0, 100),
    caller: label,
    rows: answer?.result.rowCount,
    cache: answer?.state,
    ...(answer && answerTimings(answer)),
    ...(failure !== undefined && { ...failedRun, ...failureReason(failure) }),
    parameters: logQueries && run ? shownParameters(run.parameters) : undefined,
    ...(status === 500 && { err: logQueries ? failure : failureLine(failure) }),
  };
  if (status === 500) log.error(line, 'request');
  else log.info(line, 'request');
}

function shownParameters(parameters: Asked['parameters']): object {
  const shown = [...parameters].map(
    ([name, given]) => [name, typeof given === 'string' ? given : given.texts] as const,
  );
  return Object.fromEntries(shown);
}
