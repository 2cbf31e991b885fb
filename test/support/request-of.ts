import { unbound } from '../../src/endpoint/scope.js';
import type { RunRequest } from '../../src/run/run-request.js';

/** A request to `logs.all`; `sql` or `lql` among the parameters is the caller's own query. */
export function requestOf(
  { sql, lql, ...parameters }: Readonly<Record<string, string>>,
  more: Partial<RunRequest> = {},
): RunRequest {
  const text = sql ?? lql;
  const language = sql === undefined ? 'lql' : 'sql';
  return {
    endpoint: 'logs.all',
    parameters: new Map(Object.entries(parameters)),
    ...(text !== undefined && { sandbox: { language, text } }),
    clock: { now: '2026-03-10T12:00:00.000000+00:00', fixed: true },
    redact: false,
    signal: new AbortController().signal,
    caller: '',
    scope: unbound,
    ...more,
  };
}
