import type { Logger } from 'pino';
import type { Answer, FailedRun } from '../service/run-endpoint.js';
import type { Asked } from '../service/run-request.js';
import { timingsOf } from './encode-response.js';
import { failureLine, reasonOf } from './failure-line.js';
import type { Metrics } from './metrics.js';

/** Where requests are reported. */
export interface RequestReporting {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Whether log lines include parameters and SQL. */
  readonly logQueries: boolean;
}

/** An answered request and its outcome. */
export interface RequestReport {
  readonly requestId: string;
  readonly method: string;
  readonly status: number;
  /** When it arrived, on the clock of `performance.now()`. */
  readonly startMs: number;
  readonly endpoint?: string | undefined;
  /** The label of the caller's token. */
  readonly label?: string | undefined;
  readonly failure?: unknown;
  readonly run?: Pick<Asked, 'parameters'> | undefined;
  readonly answer?: Answer | undefined;
  readonly failedRun?: FailedRun | undefined;
}

/** Counts a request and logs a line for it. */
export function reportRequest(
  { log, metrics, logQueries }: RequestReporting,
  report: RequestReport,
): void {
  const { status, endpoint, answer, startMs } = report;
  // A 404 counts as an unknown endpoint, also if the endpoint is only out of the token's scope.
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
  const { status, endpoint, label, answer, failure, run } = report;
  const ms = Math.round((performance.now() - report.startMs) * 100) / 100;
  const line: Line = { requestId: report.requestId, method: report.method, status, ms };
  if (endpoint !== undefined) line.endpoint = endpoint.slice(0, 100);
  if (label !== undefined) line.caller = label;
  if (answer !== undefined) addAnswer(line, answer);
  if (failure !== undefined) Object.assign(line, report.failedRun, reasonOf(failure));
  if (logQueries && run !== undefined) line.parameters = shownOf(run.parameters);
  if (status === 500) line.err = logQueries ? failure : failureLine(failure);
  if (status === 500) log.error(line, 'request');
  else log.info(line, 'request');
}

/** A log line; mutable because copying it for every request costs time. */
interface Line {
  readonly requestId: string;
  readonly method: string;
  readonly status: number;
  readonly ms: number;
  endpoint?: string;
  caller?: string;
  rows?: number;
  cache?: string;
  compileMs?: number;
  queueMs?: number;
  engineMs?: number;
  encodeMs?: number;
  parameters?: object;
  err?: unknown;
}

function shownOf(parameters: Asked['parameters']): object {
  const shown = [...parameters].map(
    ([name, given]) => [name, typeof given === 'string' ? given : given.texts] as const,
  );
  return Object.fromEntries(shown);
}

function addAnswer(line: Line, answer: Answer): void {
  const { compileMs, queueMs, engineMs, encodeMs } = timingsOf(answer);
  line.rows = answer.result.rowCount;
  line.cache = answer.state;
  line.compileMs = compileMs;
  line.queueMs = queueMs;
  line.engineMs = engineMs;
  line.encodeMs = encodeMs;
}
