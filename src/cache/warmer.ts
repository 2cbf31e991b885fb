import { type Entry, isFresh } from './entry.js';
import type { Store } from './store.js';

/** Runs work after a delay in milliseconds; the returned function cancels it. */
export type Schedule = (work: () => void, delayMs: number) => () => void;

/** The pace of renewals. */
export interface Pace {
  /** The number of statements that could start now without delaying a request. */
  readonly spare: () => number;
  readonly schedule: Schedule;
}

/** A cached result that is renewed ahead of its expiry while callers request it. */
export interface Warm {
  readonly endpoint: string;
  readonly key: string;
  readonly ttlMs: number;
  /** The interval between renewals; less than the time to live. */
  readonly warmMs: number;
}

/** Called for each failed renewal with the endpoint's name and the error. */
export type RenewalFailure = (endpoint: string, error: unknown) => void;

/** The options of a warmer. */
export interface WarmerOptions<W extends Warm> extends Pace {
  readonly now: () => number;
  readonly store: Pick<Store, 'peek'>;
  /** Recomputes a result and stores it; undefined if a computation is in flight already. */
  readonly renew: (warm: W, signal: AbortSignal) => Promise<unknown> | undefined;
  readonly onRenewalFailure: RenewalFailure;
}

/** The interval in milliseconds of the checks for due renewals and spare capacity, while renewals are planned. */
const tickMs = 250;

/** Creates a warmer that starts renewals only while there is spare capacity, the longest overdue first. */
export function createWarmer<W extends Warm>(options: WarmerOptions<W>) {
  const { now, store, onRenewalFailure } = options;
  const plans = createPlans(options, start);
  const running = new Map<string, AbortController>();
  const counts = { renewals: 0, failedRenewals: 0 };

  function start(warm: W): boolean {
    const entry = store.peek(warm.key);
    if (entry === undefined || !isWanted(entry, warm, now())) return false;
    const abort = new AbortController();
    const renewal = options.renew(warm, abort.signal);
    if (renewal === undefined) return false;
    counts.renewals += 1;
    running.set(warm.key, abort);
    void renewal
      .catch((error: unknown) => abort.signal.aborted || retry(warm, error))
      .finally(() => {
        if (running.get(warm.key) === abort) running.delete(warm.key);
        plans.startDue();
      });
    return true;
  }

  function retry(warm: W, error: unknown): void {
    counts.failedRenewals += 1;
    onRenewalFailure(warm.endpoint, error);
    const entry = store.peek(warm.key);
    if (entry === undefined) return;
    entry.failures += 1;
    plans.add(warm, now() + retryMs(warm.warmMs, entry.failures));
  }

  /** Cancels a planned renewal and stops a running one. */
  function cancel(key: string): void {
    plans.remove(key);
    running.get(key)?.abort();
    running.delete(key);
  }

  return {
    /** Plans the renewal of a result that was just computed. */
    plan: (warm: W) => plans.add(warm, now() + warm.warmMs),
    /** Resumes the renewals of a result that is requested again after they have stopped. */
    wake(warm: W, { computedAtMs }: Entry): void {
      const isGoing = plans.has(warm.key) || running.has(warm.key);
      if (!isGoing) plans.add(warm, computedAtMs + warm.warmMs);
    },
    cancel,
    /** Cancels everything; later plans are ignored. */
    close(): void {
      plans.close();
      for (const key of [...running.keys()]) cancel(key);
    },
    /** Totals since the start. */
    counts: (): Readonly<typeof counts> => counts,
  };
}

/** Creates a schedule of renewals; `start` returns false if there is nothing to renew. */
function createPlans<W extends Warm>(
  { now, spare, schedule }: Pace & Pick<WarmerOptions<W>, 'now'>,
  start: (warm: W) => boolean,
) {
  const plans = new Map<string, { readonly warm: W; readonly dueMs: number }>();
  let isClosed = false;
  let cancelTick: (() => void) | undefined;

  function startDue(): void {
    const due = [...plans.values()].filter(({ dueMs }) => dueMs <= now());
    let capacity = due.length === 0 ? 0 : spare();
    for (const { warm } of due.toSorted((one, other) => one.dueMs - other.dueMs)) {
      if (capacity < 1) return;
      plans.delete(warm.key);
      if (start(warm)) capacity -= 1;
    }
  }

  function tick(): void {
    startDue();
    cancelTick = plans.size > 0 ? schedule(tick, tickMs) : undefined;
  }

  return {
    startDue,
    has: (key: string) => plans.has(key),
    remove: (key: string) => void plans.delete(key),
    add(warm: W, dueMs: number): void {
      if (isClosed) return;
      plans.set(warm.key, { warm, dueMs });
      cancelTick ??= schedule(tick, tickMs);
    },
    close(): void {
      isClosed = true;
      plans.clear();
      cancelTick?.();
    },
  };
}

/** Whether a fresh entry was requested within its time to live. */
function isWanted(entry: Entry, { ttlMs }: Warm, atMs: number): boolean {
  return isFresh(entry, ttlMs, atMs) && atMs - entry.requestedAtMs < ttlMs;
}

/**
 * The delay before a retry: a tenth of the warm interval, doubled for each failure; between a second and the interval.
 */
function retryMs(warmMs: number, failures: number): number {
  return Math.min(warmMs, Math.max(1000, (warmMs / 10) * 2 ** (failures - 1)));
}
