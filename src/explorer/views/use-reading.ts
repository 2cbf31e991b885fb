import { useEffect, useState } from 'preact/hooks';

/**
 * Reads a value, and again when an input changes; a reading that is not needed any more is cancelled. Returns the last
 * value, or the reason why there is none; neither before the first one.
 */
export function useReading<T>(
  read: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
) {
  const [answer, setAnswer] = useState<{ readonly value?: T; readonly fault?: string }>({});
  useEffect(() => {
    const reading = new AbortController();
    const answerWith = (next: typeof answer) => {
      if (!reading.signal.aborted) setAnswer(next);
    };
    read(reading.signal).then(
      (value) => answerWith({ value }),
      (error: Error) => answerWith({ fault: error.message }),
    );
    return () => reading.abort();
  }, inputs);
  return answer;
}
