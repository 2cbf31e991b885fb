import { type Reason, ServiceError } from '../errors.js';

/** A kind of failure: how DuckDB words it, and what a caller is told, in BigQuery's words. */
interface Kind {
  readonly pattern: RegExp;
  readonly reason: Reason;
  /** `$1` is the pattern's first group. */
  readonly message: string;
}

/** Messages of our own macros, which reach here inside the failure of a cast. */
const raised = [
  'Array index -?\\d+ is out of bounds',
  'division by zero',
  "Bad bool value: [^']*",
  "Bad int64 value: [^']*",
].join('|');

const kinds: readonly Kind[] = [
  {
    pattern: new RegExp(`Could not convert string '(${raised})`),
    reason: 'invalidQuery',
    message: '$1',
  },
  {
    pattern:
      /^Invalid Input Error: ((?:missing|unexpected|invalid|bad|no argument|trailing|nothing)\b.*)/,
    reason: 'invalidQuery',
    message: 'Cannot parse regular expression: $1',
  },
  { pattern: /^Out of Range Error: Overflow/, reason: 'invalidQuery', message: 'int64 overflow' },
  {
    pattern: /^Conversion Error/,
    reason: 'invalidQuery',
    message: 'Bad value: a cast failed on the data',
  },
  { pattern: /^Out of Range Error/, reason: 'invalidQuery', message: 'A value is out of range' },
  {
    pattern: /^Invalid Input Error: More than one row returned by a subquery/,
    reason: 'invalidQuery',
    message: 'Scalar subquery produced more than one element',
  },
  {
    pattern: /^Out of Memory Error/,
    reason: 'resourcesExceeded',
    message: 'The query needs more memory than its limit (--memory-limit)',
  },
];

/** A failure of the engine as a refusal; one that no row knows is a bug, and says nothing. */
export function toServiceError(error: unknown): Error {
  const text = error instanceof Error ? error.message : String(error);
  const kind = kinds.find(({ pattern }) => pattern.test(text));
  if (kind === undefined) return new Error('the engine failed on a statement', { cause: error });
  const group = kind.pattern.exec(text)?.[1] ?? '';
  return new ServiceError(
    kind.reason,
    kind.message.replace('$1', () => group),
    { cause: error },
  );
}
