import type { SandboxQuery } from '../compiler/compile.js';
import type { Given } from '../endpoint/given.js';
import type { CallerScope } from '../endpoint/scope.js';
import type { FormatWish } from './choose-format.js';

/** The content of a request, whoever sends it. */
export interface Asked {
  /** The endpoint's name or identifier. */
  readonly endpoint: string;
  readonly parameters: ReadonlyMap<string, Given>;
  readonly sandbox?: SandboxQuery;
  /** Requests redaction of personal data; an endpoint that always redacts ignores `false`. */
  readonly redact: boolean;
  /** JSON by default. */
  readonly format?: FormatWish;
}

/** A request to run an endpoint. */
export interface RunRequest extends Asked {
  readonly clock: Clock;
  /** A row limit below the endpoint's own. */
  readonly maxRows?: number;
  readonly signal: AbortSignal;
  /** Identifies the caller for the fair queue. */
  readonly caller: string;
  /** The caller's token and the request, for an engine that labels its jobs. */
  readonly labels?: Readonly<Record<string, string>>;
  /** The permissions of the caller's token. */
  readonly scope: CallerScope;
}

/**
 * The time of a request, `YYYY-MM-DDTHH:MM:SS.ffffff+00:00`, and whether it was set rather than read from the clock.
 */
export interface Clock {
  readonly now: string;
  readonly fixed: boolean;
}
