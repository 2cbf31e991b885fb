import type { Schedule } from '../../src/cache/warmer.js';

/** A clock that goes only when told to, and what is planned by it. */
export function createClock() {
  let ms = 0;
  const planned = new Set<{ readonly atMs: number; readonly work: () => void }>();

  const schedule: Schedule = (work, delayMs) => {
    const plan = { atMs: ms + delayMs, work };
    planned.add(plan);
    return () => void planned.delete(plan);
  };

  /** Lets time pass: what is planned is done at its time, and what that begins settles. */
  async function wait(byMs: number): Promise<void> {
    const endMs = ms + byMs;
    await settle();
    for (;;) {
      const [next] = [...planned].sort((a, b) => a.atMs - b.atMs);
      if (next === undefined || next.atMs > endMs) break;
      planned.delete(next);
      ms = next.atMs;
      next.work();
      await settle();
    }
    ms = endMs;
  }

  return { now: () => ms, schedule, wait, planned: () => planned.size };
}

/** Lets everything go on that waits for nothing but promises. */
export function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
