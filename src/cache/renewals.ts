import { createTimers, type Schedule } from './timers.js';

/** Starts a renewal, which stops when the signal fires and never rejects; undefined when there is nothing to renew. */
export type Renew = (signal: AbortSignal) => Promise<void> | undefined;

/** Background work, at most one planned or running item for each key. */
export interface Renewals {
  /** Whether work for this key is planned or running. */
  has(key: string): boolean;
  /** Plans work after a delay, or later if the engine is busy; replaces the key's earlier plan. */
  plan(key: string, delayMs: number, renew: Renew): void;
  /** Cancels planned work and stops running work. */
  cancel(key: string): void;
  /** Cancels everything; later plans are ignored. */
  close(): void;
}

/** How renewals are paced. */
export interface Pace {
  /** How many statements could start now without delaying a request. */
  readonly spare: () => number;
  readonly schedule: Schedule;
}

/** Creates a plan that starts renewals only while there is spare capacity, the longest overdue first. */
export function createRenewals({ spare, schedule }: Pace): Renewals {
  const timers = createTimers(schedule);
  const runner = createRunner({ spare, schedule });
  let isClosed = false;
  const cancel = (key: string) => {
    timers.clear(key);
    runner.cancel(key);
  };
  return {
    has: (key) => timers.has(key) || runner.has(key),
    plan(key, delayMs, renew) {
      if (!isClosed) timers.set(key, delayMs, () => runner.add(key, renew));
    },
    cancel,
    close() {
      isClosed = true;
      for (const key of [...timers.keys(), ...runner.keys()]) cancel(key);
    },
  };
}

/** How long to wait before looking for spare capacity again, in milliseconds. */
const retryMs = 1000;

/** Starts due work in order as capacity allows. */
function createRunner({ spare, schedule }: Pace) {
  const due = new Map<string, Renew>();
  const running = new Map<string, AbortController>();
  let cancelRetry = () => {};

  function startDue(): void {
    cancelRetry();
    let capacity = due.size === 0 ? 0 : spare();
    for (const [key, renew] of due) {
      if (capacity < 1) break;
      due.delete(key);
      if (start(key, renew)) capacity -= 1;
    }
    if (due.size > 0) cancelRetry = schedule(startDue, retryMs);
  }

  function start(key: string, renew: Renew): boolean {
    const abort = new AbortController();
    const done = renew(abort.signal);
    if (done === undefined) return false;
    running.set(key, abort);
    void done.finally(() => {
      if (running.get(key) === abort) running.delete(key);
      startDue();
    });
    return true;
  }

  return {
    has: (key: string) => due.has(key) || running.has(key),
    keys: () => [...due.keys(), ...running.keys()],
    add(key: string, renew: Renew): void {
      due.set(key, renew);
      startDue();
    },
    cancel(key: string): void {
      due.delete(key);
      running.get(key)?.abort();
      running.delete(key);
      if (due.size === 0) cancelRetry();
    },
  };
}
