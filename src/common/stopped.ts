import { ServiceError } from '../errors/errors.js';

/** Why an engine that is closed runs nothing. */
export function closed(): ServiceError {
  return new ServiceError('backendBusy', 'The server is shutting down');
}

/** Why a statement was stopped, by the signal that stopped it. */
export function stopped({ reason }: AbortSignal): ServiceError {
  const byLimit = reason instanceof Error && reason.name === 'TimeoutError';
  const why = byLimit
    ? 'The query ran past its time limit (--query-timeout)'
    : 'The query was cancelled';
  return new ServiceError('timeout', why, { cause: reason });
}
