/**
 * The closed set of refusals: every way in which the service says no.
 * The pairs of code and status are those of Google's API errors.
 * @see https://cloud.google.com/bigquery/docs/error-messages
 */
export const reasons = {
  required: { code: 400, status: 'INVALID_ARGUMENT' },
  invalid: { code: 400, status: 'INVALID_ARGUMENT' },
  invalidQuery: { code: 400, status: 'INVALID_ARGUMENT' },
  accessDenied: { code: 400, status: 'INVALID_ARGUMENT' },
  resourcesExceeded: { code: 400, status: 'INVALID_ARGUMENT' },
  outOfScope: { code: 403, status: 'PERMISSION_DENIED', reason: 'accessDenied' },
  authError: { code: 401, status: 'UNAUTHENTICATED' },
  notFound: { code: 404, status: 'NOT_FOUND' },
  methodNotAllowed: { code: 405, status: 'INVALID_ARGUMENT' },
  bodyTooLarge: { code: 413, status: 'INVALID_ARGUMENT', reason: 'tooLarge' },
  urlTooLarge: { code: 414, status: 'INVALID_ARGUMENT', reason: 'tooLarge' },
  headersTooLarge: { code: 431, status: 'INVALID_ARGUMENT', reason: 'tooLarge' },
  rateLimitExceeded: { code: 429, status: 'RESOURCE_EXHAUSTED' },
  backendBusy: { code: 503, status: 'UNAVAILABLE' },
  timeout: { code: 504, status: 'DEADLINE_EXCEEDED' },
  internalError: { code: 500, status: 'INTERNAL' },
} as const satisfies Record<string, { code: number; status: string; reason?: string }>;

/** A key of {@link reasons}. */
export type Reason = keyof typeof reasons;

/** Where a fault stands: the parameter's name, and line and column (from 1) in its text. */
export interface Place {
  readonly location?: string;
  readonly line?: number;
  readonly column?: number;
}

/** One fault of a request, in words that the caller may read. */
export interface Fault extends Place {
  readonly reason: Reason;
  readonly message: string;
}

/** Most characters of a message in an answer. */
export const maxMessage = 500;

/** Cuts a text to at most that many UTF-16 units, never inside a character; `…` marks the cut. */
export function shorten(text: string, most: number): string {
  if (text.length <= most) return text;
  return `${text.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** A name that a caller chose, as messages quote it: at most 100 characters. */
export function shortName(name: string): string {
  return shorten(name, 100);
}

/** What a caller may see of a request that was refused: one fault or several. */
export class ServiceError extends Error {
  readonly faults: readonly [Fault, ...Fault[]];

  constructor(reason: Reason, message: string, options: Place & ErrorOptions = {}) {
    const { cause, ...place } = options;
    super(message, cause === undefined ? {} : { cause });
    this.faults = [{ reason, message, ...place }];
  }

  /** Several faults as one error; the message is all of theirs. */
  static of(faults: readonly [Fault, ...Fault[]]): ServiceError {
    const message = faults.map((fault) => fault.message).join('; ');
    const error = new ServiceError(faults[0].reason, message);
    return Object.assign(error, { faults });
  }
}

/**
 * A statement that failed in a way that nobody may read: its message and its cause may quote the
 * statement and the data, its kind and the statement's digest do not.
 */
export class StatementFault extends Error {
  /** Such as `Conversion Error`. */
  readonly kind: string;
  /** The first 16 digits of the text's SHA-256, in hex. */
  readonly digest: string;

  constructor(message: string, { kind, digest, cause }: FailedStatement) {
    super(message, { cause });
    this.kind = kind;
    this.digest = digest;
  }
}

interface FailedStatement {
  readonly kind: string;
  readonly digest: string;
  readonly cause: unknown;
}

/** A fault that keeps the program from starting: one line for each thing wrong; exit code 2. */
export class SetupError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}
