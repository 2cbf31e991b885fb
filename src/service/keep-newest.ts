import { setTimeout as sleep } from 'node:timers/promises';
import type { Engine } from '../engine/engine.js';
import type { Newest } from '../newest/newest.js';
import type { Serving } from './serving.js';

/** What reading in the background depends on. */
export interface KeepNewestOptions {
  readonly newest: Newest;
  readonly serving: Serving;
  /** How many statements run, and how many more could. */
  readonly load: () => { readonly running: number; readonly spare: number };
}

/** How long to wait before the first part, and until a busy engine has time, in milliseconds. */
const firstMs = 300;
const busyMs = 100;

/** Keeps the newest rows of each state, in the background. Returns how to end it. */
export function keepNewest({ newest, serving, load }: KeepNewestOptions): () => void {
  const ending = new AbortController();
  const { signal } = ending;

  const leavesPlace = () => {
    const { running, spare } = load();
    return running === 0 || spare > 1;
  };

  /** An engine whose statements start only if they leave a place for a request, or if nothing runs. */
  const patient = (engine: Engine): Engine => ({
    ...engine,
    async run(...statement) {
      while (!leavesPlace()) await sleep(busyMs, undefined, { ref: false, signal });
      return engine.run(...statement);
    },
  });

  async function keepAll(): Promise<void> {
    await sleep(firstMs, undefined, { ref: false, signal });
    while (!signal.aborted) {
      const { version } = serving;
      const keptMore = await serving.use(({ engine, sources }) =>
        newest.keepNext({ engine: patient(engine), sources }, signal),
      );
      if (!keptMore && version === serving.version) await serving.untilReplaced(signal);
    }
  }

  keepAll().catch((error: unknown) => {
    if (!signal.aborted) throw error;
  });
  return () => ending.abort();
}
