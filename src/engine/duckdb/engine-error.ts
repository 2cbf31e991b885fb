import { type Reason, ServiceError, StatementFault } from '../../errors/errors.js';
import { digestText } from '../../process/digest.js';

/**
 * A failure that a pattern recognizes in DuckDB's message. It has a message for the caller in BigQuery's words, in
 * which `$1` is the pattern's first group, and a reason, by default `invalidQuery`.
 */
type EngineFailure = readonly [pattern: RegExp, message: string, reason?: Reason];

/** The message for the caller, before values are removed or redacted. */
interface Failure {
  readonly reason: Reason;
  readonly message: string;
  /** Whether the whole message is a value: the caller's query passed it to ERROR. */
  readonly isValue: boolean;
}

/** The failure of one of our macros or functions carries its message: see `sql/bigquery/failures.sql`. */
const macroFailure =
  /^(?:Conversion Error: Could not convert string 'bq\.fail\(([\s\S]*?)\)' to INT64|Invalid Input Error: bq\.fail\(([\s\S]*)\)$)/;

/** The prefix that the macro `bq.error` adds to its argument. */
const errorCall = 'ERROR: ';

const outOfMemory = /^Out of Memory Error/;

/** The failures that DuckDB itself reports; the first matching pattern applies. */
const engineFailures: readonly EngineFailure[] = [
  [/Pattern failed to parse, error: '(.*)'/, 'Cannot parse regular expression: $1'],
  [
    /^Invalid Input Error: ((?:missing|unexpected|invalid|bad|no argument|trailing|nothing|pattern too large)\b.*)/,
    'Cannot parse regular expression: $1',
  ],
  [/^Out of Range Error: Overflow in \w+ of (?:DECIMAL|HUGEINT|INT128)/, 'numeric overflow'],
  [/^Out of Range Error: Overflow in HUGEINT addition/, 'numeric overflow: SUM'],
  [/^Out of Range Error: Overflow in \w+ of INT64 \((.*)\)!/, 'int64 overflow: $1'],
  [/^Out of Range Error: Overflow in division of (.*)/, 'int64 overflow: $1'],
  [/^Out of Range Error: Overflow in negation/, 'int64 overflow: --9223372036854775808'],
  [/^Out of Range Error: Overflow on abs\((.*)\)/, 'int64 overflow: ABS($1)'],
  [/^Conversion Error: Failure in decode/, 'Invalid cast of bytes to UTF8 string'],
  [
    /^(?:Syntax|Invalid Input) Error: Like pattern must not end with escape/,
    'LIKE pattern ends with a backslash',
  ],
  [/^Out of Range Error: Overflow/, 'int64 overflow'],
  [/^Conversion Error: Type INT128 with value .* destination type INT64/, 'int64 overflow'],
  [/^Conversion Error/, 'Bad value: a cast failed on the data'],
  [/^Out of Range Error/, 'A value is out of range'],
  [
    /^Invalid Input Error: More than one row returned by a subquery/,
    'Scalar subquery produced more than one element',
  ],
  [
    /^Invalid Input Error: Argument for ntile must be greater than zero/,
    'The number of buckets of NTILE must be positive',
  ],
  [
    /^Binder Error: .*\b(?:window|correlated)\b/,
    'A window function over columns of an outer query is not supported',
  ],
  [
    /^Binder Error: .*\bsubquer(?:y|ies)\b/,
    'A subquery is not supported here: select it in a subquery of FROM first',
  ],
  [
    /^Invalid Input Error: list_\w+: \w+ argument can not contain NULL values/,
    'A vector of a distance cannot contain NULL',
  ],
  [
    /Max expression depth limit of \d+ exceeded/,
    'The query has an expression that is too long: split it up',
    'resourcesExceeded',
  ],
  [outOfMemory, 'The query needs more memory than its limit (--memory-limit)', 'resourcesExceeded'],
];

/** The maximum number of characters of a value that a message quotes. */
const maxQuotedCharacters = 100;

/** The values that a message may quote from the rows that the failed statement read. */
export type Quoting = 'values' | 'no values' | 'nothing';

/** A failed statement, and what its message may quote; `redact` removes personal data from a quote. */
export interface Failed {
  readonly sql: string;
  readonly quoting: Quoting;
  readonly redact?: ((text: string) => Promise<string>) | undefined;
}

/**
 * Translates a failure of the engine; a ServiceError is returned as it is. An unknown failure is a bug and quotes
 * nothing.
 */
export async function engineServiceError(error: unknown, failed: Failed): Promise<Error> {
  if (error instanceof ServiceError) return error;
  const text = error instanceof Error ? error.message : String(error);
  const failure = failureOfMacro(text) ?? failureOfEngine(text);
  if (failure === undefined) return unknownFailure(error, text, failed.sql);
  return new ServiceError(failure.reason, await messageFor(failure, failed), { cause: error });
}

/** Whether a statement failed because it needed more than DuckDB's memory limit. */
export function exceededMemory(error: unknown): boolean {
  const cause = error instanceof ServiceError ? error.cause : undefined;
  return cause instanceof Error && outOfMemory.test(cause.message);
}

function failureOfMacro(text: string): Failure | undefined {
  const [, ofMacro, ofFunction] = macroFailure.exec(text) ?? [];
  const message = ofMacro ?? ofFunction;
  if (message === undefined) return undefined;
  const isValue = message.startsWith(errorCall);
  return {
    reason: 'invalidQuery',
    message: isValue ? message.slice(errorCall.length) : message,
    isValue,
  };
}

function failureOfEngine(text: string): Failure | undefined {
  const known = engineFailures.find(([pattern]) => pattern.test(text));
  if (known === undefined) return undefined;
  const [pattern, message, reason = 'invalidQuery'] = known;
  const group = pattern.exec(text)?.[1] ?? '';
  return { reason, message: message.replace('$1', () => group), isValue: false };
}

async function messageFor(failure: Failure, { quoting, redact }: Failed): Promise<string> {
  const { reason, message } = failure;
  if (quoting === 'nothing' && reason === 'invalidQuery') {
    return "The endpoint's own query failed on its data";
  }
  if (quoting !== 'values') return withoutValues(failure);
  // Redact before cutting: a cut address would not be recognised.
  return shorten({ ...failure, message: redact === undefined ? message : await redact(message) });
}

/** `Bad int64 value: x` -> `Bad int64 value`: the row may belong to another project than the caller's. */
function withoutValues({ message, isValue }: Failure): string {
  if (isValue) return 'The query failed on its data: ERROR was called';
  const values = /'[^']*'|"[^"]*"|(?<!\w)-?\d[-\d.:/]*/g;
  return message.replace(/: [\s\S]*$/, '').replace(values, '…');
}

function unknownFailure(cause: unknown, text: string, sql: string): StatementFault {
  // DuckDB's name for the kind of error quotes nothing; the rest of the message may.
  const [kind = 'Unknown Error'] = /^[A-Z][A-Za-z ]{1,40}(?=:)/.exec(text) ?? [];
  const digest = digestText(sql).slice(0, 16);
  return new StatementFault('the engine failed on a statement', { kind, digest, cause });
}

/** Cuts the value, which begins after the first colon or quote; a quoted value keeps its closing quote. */
function shorten({ message, isValue }: Failure): string {
  const lead = isValue ? '' : (/^[\s\S]*?(?:: ['"]?|['"])/.exec(message)?.[0] ?? message);
  const value = [...message.slice(lead.length)];
  if (value.length <= maxQuotedCharacters) return message;
  const quote = /['"]$/.exec(lead)?.[0] ?? '';
  const end = value.at(-1) === quote ? quote : '';
  return `${lead}${value.slice(0, maxQuotedCharacters).join('')}...${end}`;
}
