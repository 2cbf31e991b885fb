/**
 * The closed set of reasons for which the service refuses a request, with the codes and statuses of
 * Google's API errors. `reason` is what the response says, if it differs from the key.
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
  notAcceptable: { code: 406, status: 'INVALID_ARGUMENT' },
  methodNotAllowed: { code: 405, status: 'INVALID_ARGUMENT' },
  bodyTooLarge: { code: 413, status: 'INVALID_ARGUMENT', reason: 'tooLarge' },
  unsupportedMediaType: { code: 415, status: 'INVALID_ARGUMENT' },
  urlTooLarge: { code: 414, status: 'INVALID_ARGUMENT', reason: 'tooLarge' },
  headersTooLarge: { code: 431, status: 'INVALID_ARGUMENT', reason: 'tooLarge' },
  rateLimitExceeded: { code: 429, status: 'RESOURCE_EXHAUSTED' },
  backendBusy: { code: 503, status: 'UNAVAILABLE' },
  timeout: { code: 504, status: 'DEADLINE_EXCEEDED' },
  internalError: { code: 500, status: 'INTERNAL' },
} as const satisfies Record<string, { code: number; status: string; reason?: string }>;

/** A key of {@link reasons}. */
export type Reason = keyof typeof reasons;

/** The location of an error: the parameter's name, and line and column (from 1) in its value. */
export interface FaultLocation {
  /** The endpoint file with the text, if the endpoint that was asked for reads it. */
  readonly file?: string;
  readonly location?: string;
  readonly line?: number;
  readonly column?: number;
}

/** One error in a request; its message is shown to the caller. */
export interface Fault extends FaultLocation {
  readonly reason: Reason;
  readonly message: string;
}

/** The maximum length of a message in a response, in UTF-16 units. */
export const maxMessageLength = 500;

/** The maximum number of faults in a response. */
export const maxFaults = 10;

/** The reason that responses show. */
export function shownReason(reason: Reason): string {
  const row = reasons[reason];
  return 'reason' in row ? row.reason : reason;
}

/** Truncates a string to `max` UTF-16 units with a final `…`, without splitting a character. */
export function shorten(text: string, max: number): string {
  if (text.length <= max) return text;
  return `${text.slice(0, max - 1).replace(/[\uD800-\uDBFF]$/, '')}…`;
}

/** A name chosen by a caller, truncated to 100 characters for messages. */
export function shortName(name: string): string {
  return shorten(name, 100);
}

/** A refused request, with one or more faults that the caller may see. */
export class ServiceError extends Error {
  readonly faults: readonly [Fault, ...Fault[]];

  constructor(reason: Reason, message: string, options: FaultLocation & ErrorOptions = {}) {
    const { cause, ...location } = options;
    super(message, cause === undefined ? {} : { cause });
    this.faults = [{ reason, message, ...location }];
  }

  /** An error with several faults; its message joins their messages. */
  static of(faults: readonly [Fault, ...Fault[]]): ServiceError {
    const message = faults.map((fault) => fault.message).join('; ');
    const error = new ServiceError(faults[0].reason, message);
    return Object.assign(error, { faults });
  }
}

/**
 * An unexpected failure of a statement. Its message and cause may contain the statement and data and
 * must not be shown or logged; its kind and the digest of the statement may.
 */
export class StatementFault extends Error {
  /** For example `Conversion Error`. */
  readonly kind: string;
  /** The first 16 hexadecimal digits of the SHA-256 of the statement. */
  readonly digest: string;

  constructor(
    message: string,
    { kind, digest, cause }: Pick<StatementFault, 'kind' | 'digest' | 'cause'>,
  ) {
    super(message, { cause });
    this.kind = kind;
    this.digest = digest;
  }
}

/** Prevents the program from starting, with one line for each error; exit code 2. */
export class SetupError extends Error {
  readonly lines: readonly string[];

  constructor(lines: readonly string[]) {
    super(lines.join('\n'));
    this.lines = lines;
  }
}

/** Returns the result of work. @throws SetupError that says what failed, with the message of the error */
export function withSetupError<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new SetupError([`${what}: ${reason}`]);
  }
}
