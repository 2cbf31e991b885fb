/**
 * Does work under a signal that fires with another one, or after `limitMs` with a `TimeoutError`.
 * `AbortSignal.any` over `AbortSignal.timeout` would keep both for as long as the limit is.
 */
export async function withTimeLimit<T>(
  signal: AbortSignal,
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limited = new AbortController();
  const pass = () => limited.abort(signal.reason);
  const timeout = () => limited.abort(new DOMException('The time limit', 'TimeoutError'));
  if (signal.aborted) pass();
  signal.addEventListener('abort', pass, { once: true });
  const timer = setTimeout(timeout, limitMs);
  try {
    return await work(limited.signal);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', pass);
  }
}
