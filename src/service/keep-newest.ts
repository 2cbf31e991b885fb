import { setTimeout as sleep } from 'node:timers/promises';
import type { Newest } from '../newest/newest.js';
import type { Serving } from './serving.js';

/** What reading in the background depends on. */
export interface KeepNewestOptions {
  readonly newest: Newest;
  readonly serving: Serving;
  /** How many statements could start now without delaying a request. */
  readonly spare: () => number;
}

/** How long to wait before the first chunk, and until a busy engine has time, in milliseconds. */
const firstMs = 300;
const busyMs = 100;

/** Reads the newest rows of each state, in the background, for half of the time at most. Returns how to end it. */
export function keepNewest({ newest, serving, spare }: KeepNewestOptions): () => void {
  const ending = new AbortController();
  const { signal } = ending;

  /** Returns how long to wait before the next chunk; undefined if there is nothing left to read. */
  async function readOne(): Promise<number | undefined> {
    if (spare() < 1) return busyMs;
    const start = performance.now();
    const hasRead = await serving.use((data) => newest.readMore(data, signal));
    return hasRead ? performance.now() - start : undefined;
  }

  async function readAll(): Promise<void> {
    await sleep(firstMs, undefined, { ref: false, signal });
    while (!signal.aborted) {
      const { version } = serving;
      const pauseMs = await readOne();
      if (pauseMs !== undefined) await sleep(pauseMs, undefined, { ref: false, signal });
      else if (version === serving.version) await serving.untilReplaced(signal);
    }
  }

  readAll().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return () => ending.abort();
}
