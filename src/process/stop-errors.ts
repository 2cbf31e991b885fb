import { ServiceError } from '../errors/errors.js';

/** The error of a request that arrives after the engine or pool was closed. */
export function shutdownError(): ServiceError {
  return new ServiceError('backendBusy', 'The server is shutting down');
}

/** The error of a request that was cancelled by its signal. */
export function stoppedError({ reason }: AbortSignal): ServiceError {
  const byLimit = reason instanceof Error && reason.name === 'TimeoutError';
  const why = byLimit
    ? 'The query ran past its time limit (--query-timeout)'
    : 'The query was cancelled';
  return new ServiceError('timeout', why, { cause: reason });
}

/**
 * Waits for work until the signal fires; then throws `fault`, by default {@link stoppedError}, while the work
 * continues.
 */
export function untilStopped<T>(
  work: Promise<T>,
  signal: AbortSignal,
  fault = () => stoppedError(signal),
): Promise<T> {
  return new Promise((resolve, reject) => {
    const leave = () => reject(fault());
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
