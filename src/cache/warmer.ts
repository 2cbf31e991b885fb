import { type Entry, isFresh } from './entry.js';
import { createRenewals, type Pace } from './renewals.js';
import type { Store } from './store.js';

/** Rows that are renewed while they are asked for. */
export interface Warm {
  readonly endpoint: string;
  readonly key: string;
  readonly ttlMs: number;
  /** Less than the time to live. */
  readonly warmMs: number;
}

/** Renews what is kept, ahead of its end. */
export interface Warmer<W extends Warm> {
  /** Has rows that were just computed renewed in a warm interval. */
  plan(warm: W): void;
  /** Has rows that were asked for renewed when they are due: those that nobody asked for were left alone. */
  wake(warm: W, entry: Entry): void;
  cancel(key: string): void;
  close(): void;
  /** Since the start. */
  counts(): { readonly renewals: number; readonly failedRenewals: number };
}

/** Hears of each renewal that failed: the endpoint's name, and why. */
export type RenewalFailure = (endpoint: string, error: unknown) => void;

/** What a warmer works with. */
export interface WarmerOptions<W extends Warm> extends Pace {
  readonly now: () => number;
  readonly store: Pick<Store, 'peek'>;
  /** Computes rows anew and keeps them; undefined where somebody does already. */
  readonly renew: (warm: W, signal: AbortSignal) => Promise<unknown> | undefined;
  readonly onRenewalFailure: RenewalFailure;
}

/** A warmer with nothing to do. */
export function createWarmer<W extends Warm>(options: WarmerOptions<W>): Warmer<W> {
  const { now, store, onRenewalFailure } = options;
  const waiting = createRenewals(options);
  let renewals = 0;
  let failedRenewals = 0;

  function plan(warm: W, delayMs: number): void {
    waiting.plan(warm.key, delayMs, (signal) => renew(warm, signal));
  }

  function renew(warm: W, signal: AbortSignal): Promise<void> | undefined {
    const kept = store.peek(warm.key);
    if (kept === undefined || !isWanted(kept, warm, now())) return undefined;
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
    const kept = store.peek(warm.key);
    if (kept === undefined) return;
    kept.failures += 1;
    plan(warm, retryMs(warm.warmMs, kept.failures));
  }

  return {
    plan: (warm) => plan(warm, warm.warmMs),
    wake(warm, { computedAtMs }) {
      if (waiting.has(warm.key)) return;
      plan(warm, Math.max(0, computedAtMs + warm.warmMs - now()));
    },
    cancel: waiting.cancel,
    close: waiting.close,
    counts: () => ({ renewals, failedRenewals }),
  };
}

/** Whether rows that may still be given were asked for within their time to live. */
function isWanted(entry: Entry, { ttlMs }: Warm, atMs: number): boolean {
  return isFresh(entry, ttlMs, atMs) && atMs - entry.askedAtMs < ttlMs;
}

/** A tenth of the warm interval, then twice as long each time, at least a second and at most the interval. */
function retryMs(warmMs: number, failures: number): number {
  return Math.min(warmMs, Math.max(1000, (warmMs / 10) * 2 ** (failures - 1)));
}
