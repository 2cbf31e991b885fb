import type { Fault } from '../../errors/errors.js';
import type { DuckDbOptions } from '../duckdb/duckdb.js';
import type { Result, Statement } from '../engine.js';

/** What an engine process is started with. */
export interface EngineProcessOptions extends DuckDbOptions {
  /** Resident memory above which the process ends itself, and is ended, in bytes. */
  readonly maxResidentBytes: number;
}

/** What the server says to an engine process; one statement at a time. */
export type EngineRequest =
  | { readonly kind: 'open'; readonly options: EngineProcessOptions }
  | { readonly kind: 'run'; readonly statement: Statement }
  | { readonly kind: 'stop' };

/** What an engine process says to the server. */
export type EngineReply =
  | { readonly kind: 'open' }
  | { readonly kind: 'closed'; readonly lines: readonly string[] }
  | { readonly kind: 'result'; readonly result: Result }
  | {
      readonly kind: 'refusal';
      readonly faults: readonly [Fault, ...Fault[]];
      readonly cause: string;
    }
  | { readonly kind: 'failure'; readonly failure: Failure };

/**
 * How an engine process ends itself because of its memory. A message would wait behind a result that
 * is on its way, and be lost with it; what nobody handles ends a process at once, as SIGKILL does.
 */
export const memorySignal = 'SIGUSR2' satisfies NodeJS.Signals;

/** An error that no caller may see, as text. */
export interface Failure {
  readonly message: string;
  readonly stack: string;
  /** Of a `StatementFault`. */
  readonly statement?: { readonly kind: string; readonly digest: string; readonly cause: string };
}
