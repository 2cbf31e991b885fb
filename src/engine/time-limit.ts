/**
 * Runs work with a signal that fires together with any of the given ones, or after `limitMs` with a `TimeoutError`.
 * `AbortSignal.timeout` would stay in memory until the limit expires, and `AbortSignal.any` as long as the given
 * signals.
 */
export async function withTimeLimit<T>(
  signals: AbortSignal | readonly AbortSignal[],
  limitMs: number,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const limited = new AbortController();
  const all = [signals].flat();
  const forward = () => limited.abort(all.find((signal) => signal.aborted)?.reason);
  const timeout = () => limited.abort(new DOMException('The time limit', 'TimeoutError'));
  if (all.some((signal) => signal.aborted)) forward();
  for (const signal of all) signal.addEventListener('abort', forward, { once: true });
  const timer = setTimeout(timeout, limitMs);
  try {
    return await work(limited.signal);
  } finally {
    clearTimeout(timer);
    for (const signal of all) signal.removeEventListener('abort', forward);
  }
}
