import { ServiceError } from '../errors/errors.js';

/** The error of a statement that arrives after the engine was closed. */
export function closed(): ServiceError {
  return new ServiceError('backendBusy', 'The server is shutting down');
}

/** The error of a statement that was stopped by its signal. */
export function stopped({ reason }: AbortSignal): ServiceError {
  const byLimit = reason instanceof Error && reason.name === 'TimeoutError';
  const why = byLimit
    ? 'The query ran past its time limit (--query-timeout)'
    : 'The query was cancelled';
  return new ServiceError('timeout', why, { cause: reason });
}
