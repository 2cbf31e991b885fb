/**
 * Runs work with a signal that fires together with the given one, or after `limitMs` with a `TimeoutError`.
 * `AbortSignal.any` with `AbortSignal.timeout` would stay in memory until the limit is over.
 */
export async function withTimeLimit<T>(
  signal: AbortSignal,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limited = new AbortController();
  const forward = () => limited.abort(signal.reason);
  const timeout = () => limited.abort(new DOMException('The time limit', 'TimeoutError'));
  if (signal.aborted) forward();
  signal.addEventListener('abort', forward, { once: true });
  const timer = setTimeout(timeout, limitMs);
  try {
    return await work(limited.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', forward);
  }
}
