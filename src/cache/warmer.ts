import { type Entry, isFresh } from './entry.js';
import { createRenewals, type Pace } from './renewals.js';
import type { Store } from './store.js';

/** A cached result that is renewed ahead of its expiry while callers request it. */
export interface Warm {
  readonly endpoint: string;
  readonly key: string;
  readonly ttlMs: number;
  /** The interval between renewals; less than the time to live. */
  readonly warmMs: number;
}

/** Renews cached results before they expire. */
export interface Warmer<W extends Warm> {
  /** Plans the renewal of a result that was just computed. */
  plan(warm: W): void;
  /** Resumes the renewals of a result that is requested again after they have stopped. */
  wake(warm: W, entry: Entry): void;
  cancel(key: string): void;
  close(): void;
  /** Totals since the start. */
  counts(): { readonly renewals: number; readonly failedRenewals: number };
}

/** Called for each failed renewal with the endpoint's name and the error. */
export type RenewalFailure = (endpoint: string, error: unknown) => void;

/** What a warmer depends on. */
export interface WarmerOptions<W extends Warm> extends Pace {
  readonly now: () => number;
  readonly store: Pick<Store, 'peek'>;
  /** Recomputes a result and stores it; undefined if a computation is in flight already. */
  readonly renew: (warm: W, signal: AbortSignal) => Promise<unknown> | undefined;
  readonly onRenewalFailure: RenewalFailure;
}

/** Creates a warmer with nothing planned. */
export function createWarmer<W extends Warm>(options: WarmerOptions<W>): Warmer<W> {
  const { now, store, onRenewalFailure } = options;
  const planned = createRenewals(options);
  let renewals = 0;
  let failedRenewals = 0;

  function plan(warm: W, delayMs: number): void {
    planned.plan(warm.key, delayMs, (signal) => renew(warm, signal));
  }

  function renew(warm: W, signal: AbortSignal): Promise<void> | undefined {
    const entry = store.peek(warm.key);
    if (entry === undefined || !isWanted(entry, warm, now())) return undefined;
    const renewal = options.renew(warm, signal);
    if (renewal !== undefined) renewals += 1;
    return renewal?.then(
      () => {},
      (error: unknown) => {
        if (!signal.aborted) retry(warm, error);
      },
    );
  }

  function retry(warm: W, error: unknown): void {
    failedRenewals += 1;
    onRenewalFailure(warm.endpoint, error);
    const entry = store.peek(warm.key);
    if (entry === undefined) return;
    entry.failures += 1;
    plan(warm, retryMs(warm.warmMs, entry.failures));
  }

  return {
    plan: (warm) => plan(warm, warm.warmMs),
    wake(warm, { computedAtMs }) {
      if (planned.has(warm.key)) return;
      plan(warm, Math.max(0, computedAtMs + warm.warmMs - now()));
    },
    cancel: planned.cancel,
    close: planned.close,
    counts: () => ({ renewals, failedRenewals }),
  };
}

/** Whether a fresh entry was requested within its time to live. */
function isWanted(entry: Entry, { ttlMs }: Warm, atMs: number): boolean {
  return isFresh(entry, ttlMs, atMs) && atMs - entry.requestedAtMs < ttlMs;
}

/** A tenth of the warm interval, doubled for each failure; between a second and the interval. */
function retryMs(warmMs: number, failures: number): number {
  return Math.min(warmMs, Math.max(1000, (warmMs / 10) * 2 ** (failures - 1)));
}
