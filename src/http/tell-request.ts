import type { Logger } from 'pino';
import type { Answer, FailedRun, RunRequest } from '../run-endpoint.js';
import { timingsOf } from './encode-response.js';
import { failureLine, reasonOf } from './failure-line.js';
import type { Metrics } from './metrics.js';

/** Who hears of requests. */
export interface Listeners {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Whether log lines hold parameters and SQL. */
  readonly logQueries: boolean;
}

/** A request that was answered, and what became of it. */
export interface ToldRequest {
  readonly requestId: string;
  readonly method: string;
  readonly status: number;
  /** When it came, by the clock of `performance.now()`. */
  readonly startMs: number;
  readonly endpoint?: string | undefined;
  readonly failure?: unknown;
  readonly run?: RunRequest | undefined;
  readonly answer?: Answer | undefined;
  readonly failedRun?: FailedRun | undefined;
}

/** Counts a request, and logs a line for it. */
export function tellRequest({ log, metrics, logQueries }: Listeners, told: ToldRequest): void {
  const { status, endpoint, answer, failure, run } = told;
  const ms = Math.round((performance.now() - told.startMs) * 100) / 100;
  metrics.count({ endpoint, status, seconds: ms / 1000, state: answer?.state });
  const line = {
    requestId: told.requestId,
    method: told.method,
    status,
    ms,
    ...(endpoint !== undefined && { endpoint: endpoint.slice(0, 100) }),
    ...(answer && { rows: answer.result.rowCount, cache: answer.state, ...timingsOf(answer) }),
    ...told.failedRun,
    ...reasonOf(failure),
    ...(logQueries && run && { parameters: Object.fromEntries(run.parameters) }),
  };
  const err = logQueries ? failure : failureLine(failure);
  if (status === 500) log.error({ ...line, err }, 'request');
  else log.info(line, 'request');
}
