/** Runs work after a delay in milliseconds; what it gives takes the work back. */
export type Schedule = (work: () => void, delayMs: number) => () => void;

/** Work that waits for its time, one for each key. */
export interface Alarms {
  has(key: string): boolean;
  keys(): readonly string[];
  /** Has work done in so many milliseconds, in place of what waits under that key. */
  set(key: string, delayMs: number, work: () => void): void;
  clear(key: string): void;
}

/** No work yet. */
export function createAlarms(schedule: Schedule): Alarms {
  const waiting = new Map<string, () => void>();
  const clear = (key: string) => {
    waiting.get(key)?.();
    waiting.delete(key);
  };
  return {
    has: (key) => waiting.has(key),
    keys: () => [...waiting.keys()],
    clear,
    set(key, delayMs, work) {
      clear(key);
      const ring = () => {
        waiting.delete(key);
        work();
      };
      waiting.set(key, schedule(ring, delayMs));
    },
  };
}
