import type { SentError } from '../../common/sent-error.js';
import type { DuckDbOptions } from '../duckdb/duckdb.js';
import type { Result, Statement } from '../engine.js';

/**
 * The options of an engine process. It reads the macros itself: a message larger than the buffer of the channel waits until
 * the event loop of the server is free.
 */
export interface EngineProcessOptions extends Omit<DuckDbOptions, 'macros'> {
  /** Resident memory in bytes above which the process ends itself, or is killed. */
  readonly maxResidentBytes: number;
}

/** Messages from the server to an engine process, which runs one statement at a time. */
export type EngineRequest =
  | { readonly kind: 'open'; readonly options: EngineProcessOptions }
  | { readonly kind: 'run'; readonly statement: Statement }
  | { readonly kind: 'stop' };

/** Messages from an engine process to the server. */
export type EngineReply =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly lines: readonly string[] }
  | { readonly kind: 'result'; readonly result: Result }
  | { readonly kind: 'error'; readonly error: SentError };

/**
 * The signal by which an engine process ends itself for using too much memory. A message would wait behind a result
 * that is being sent, and be lost with it; an unhandled signal ends the process immediately, like SIGKILL.
 */
export const memorySignal = 'SIGUSR2' satisfies NodeJS.Signals;
