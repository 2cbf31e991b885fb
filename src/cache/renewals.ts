import { createAlarms, type Schedule } from './timers.js';

/** Starts work, which stops when the signal fires and never fails; undefined where there is nothing to do any more. */
export type Renew = (signal: AbortSignal) => Promise<void> | undefined;

/** Work by key that is done in the background, each at its time. */
export interface Renewals {
  /** Whether work of this key waits or runs. */
  has(key: string): boolean;
  /** Has work done in so many milliseconds, or as soon after as there is room; it takes the place of what waits. */
  plan(key: string, delayMs: number, renew: Renew): void;
  /** Forgets what waits and stops what runs. */
  cancel(key: string): void;
  /** Cancels everything; what is planned from now on is forgotten. */
  close(): void;
}

/** How renewals are paced. */
export interface Pace {
  /** How many statements could start right now without anybody waiting for it. */
  readonly spare: () => number;
  readonly schedule: Schedule;
}

/** No plans yet; never more start at once than there is spare capacity, what is due longest first. */
export function createRenewals({ spare, schedule }: Pace): Renewals {
  const alarms = createAlarms(schedule);
  const runner = createRunner({ spare, schedule });
  let isClosed = false;
  const cancel = (key: string) => {
    alarms.clear(key);
    runner.cancel(key);
  };
  return {
    has: (key) => alarms.has(key) || runner.has(key),
    plan(key, delayMs, renew) {
      if (!isClosed) alarms.set(key, delayMs, () => runner.add(key, renew));
    },
    cancel,
    close() {
      isClosed = true;
      for (const key of [...alarms.keys(), ...runner.keys()]) cancel(key);
    },
  };
}

/** How long to wait where there was no room, in milliseconds. */
const lookAgainMs = 1000;

/** Starts what is due as there is room for it, in the order in which it came. */
function createRunner({ spare, schedule }: Pace) {
  const due = new Map<string, Renew>();
  const running = new Map<string, AbortController>();
  let stopLooking = () => {};

  function startDue(): void {
    stopLooking();
    let room = due.size === 0 ? 0 : spare();
    for (const [key, renew] of due) {
      if (room < 1) break;
      due.delete(key);
      if (start(key, renew)) room -= 1;
    }
    if (due.size > 0) stopLooking = schedule(startDue, lookAgainMs);
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
      if (due.size === 0) stopLooking();
    },
  };
}
