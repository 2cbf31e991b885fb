import { useEffect, useState } from 'preact/hooks';

/** The last answer: a value, or the reason why there is none; neither before the first answer. */
interface Answer<T> {
  readonly value?: T;
  readonly fault?: string;
}

/** Reads a value, and again when an input changes; a reading that is not needed any more is cancelled. */
export function useReading<T>(
  read: (signal: AbortSignal) => Promise<T>,
  inputs: readonly unknown[],
): Answer<T> {
  const [answer, setAnswer] = useState<Answer<T>>({});
  useEffect(() => {
    const reading = new AbortController();
    read(reading.signal).then(
      (value) => setAnswer({ value }),
      (error: Error) => {
        if (!reading.signal.aborted) setAnswer({ fault: error.message });
      },
    );
    return () => reading.abort();
  }, inputs);
  return answer;
}
