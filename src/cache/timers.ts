/** Runs work after a delay in milliseconds; the returned function cancels it. */
export type Schedule = (work: () => void, delayMs: number) => () => void;

/** Delayed work, at most one item for each key. */
export interface Timers {
  has(key: string): boolean;
  keys(): readonly string[];
  /** Schedules work, replacing the work that was scheduled for the key. */
  set(key: string, delayMs: number, work: () => void): void;
  clear(key: string): void;
}

/** Creates timers with nothing scheduled. */
export function createTimers(schedule: Schedule): Timers {
  const cancels = new Map<string, () => void>();
  const clear = (key: string) => {
    cancels.get(key)?.();
    cancels.delete(key);
  };
  return {
    has: (key) => cancels.has(key),
    keys: () => [...cancels.keys()],
    clear,
    set(key, delayMs, work) {
      clear(key);
      const fire = () => {
        cancels.delete(key);
        work();
      };
      cancels.set(key, schedule(fire, delayMs));
    },
  };
}
