import { digestOf } from '../../common/digest.js';
import { type Reason, ServiceError, StatementFault } from '../../errors/errors.js';

/** A kind of failure: how DuckDB words it, and what a caller is told, in BigQuery's words. */
interface Kind {
  readonly pattern: RegExp;
  readonly reason: Reason;
  /** `$1` is the pattern's first group. */
  readonly message: string;
  /** Whether all of `$1` is a value, with no words of ours before it. */
  readonly isValue?: true;
}

/** Messages of our own macros, which reach here inside the failure of a cast. */
const raised = [
  'Array index -?\\d+ is out of bounds',
  'division by zero',
  "double overflow[^']*",
  "Bad (?:bool|double|int64) value: [^']*",
  'BIGNUMERIC is limited to [^"]*',
  'Bitwise (?:left|right) shift by negative offset.',
  "Bitwise binary operator for BYTES requires equal length of the inputs[^']*",
  "Floating point error in function: [^']*",
  "Argument to SQRT cannot be negative: [^']*",
  'Array arguments to \\w+_DISTANCE must have equal length',
  'Cannot compute cosine distance against zero vector',
  "Elements in input array to RANGE_BUCKET [^']*",
  'Illegal conversion of non-finite floating point number to [^\'"]*',
  '(?:int64|numeric) out of range: [^\'"]*',
  '(?:big)?numeric overflow',
  'Invalid (?:BIG)?NUMERIC value: [^"]*',
  'Invalid input to PARSE_(?:BIG)?NUMERIC: [^"]*',
  'Argument to ASCII is not a structurally valid ASCII string',
  'Invalid (?:codepoint|ASCII value) -?\\d+',
  "EDIT_DISTANCE takes [^']*",
  'max_distance must not be negative',
  '(?:Occurrence|Position) must be (?:positive|non-zero)',
  "(?:Second|Third) argument [^']* cannot be (?:negative|empty)",
  "Output of (?:LPAD/RPAD|REPEAT|REPLACE) exceeds [^']*",
  'Duplicate character in TRANSLATE source characters',
  'A LIKE pattern has at most (?:64|512) wildcards',
  'The last argument of APPROX_QUANTILES must be from 1 to 100000',
  'LIKE pattern ends with a backslash',
  'Output string too long while evaluating FORMAT; limit 1000000',
  "FORMAT takes widths and precisions [^']*",
  'Invalid ASCII value in (?:bytes|text)',
  'Failed to decode invalid (?:hexadecimal|base2|base32|base64) string',
  "Regular expressions passed into extraction functions [^']*",
  'REGEXP_INSTR is not supported with a capturing group',
  'REGEXP_REPLACE: exceeded maximum output length',
  "Invalid value for occurrence_position: [^']*",
  "NET\\.\\w+\\(\\) encountered [^']*",
  "The (?:first|second) argument of NET[^']*",
  "Invalid (?:date|timestamp|time zone|INTERVAL value|datetime string|time string)[^]*?(?=' to INT64)",
  "Failed to parse input string [^]*?(?=' to INT64)",
  'Input calculates to invalid (?:date|time): [-:\\d]*',
  "(?:Timestamp value|Interval field|DATE_FROM_UNIX_DATE range) [^]*?(?=' to INT64)",
  '(?:Adding|Subtracting) an interval \\w+ a \\w+ causes overflow',
  "TIMESTAMP \\+/- INTERVAL is not supported[^']*",
  "An array of dates steps[^']*",
  'A(?:rray cannot have a null element| key of JSON_OBJECT is NULL)',
  'ARRAY_(?:FIRST|LAST) cannot get the (?:first|last) element of an empty array',
  'Cannot generate arrays with more than \\d+ elements',
  'Sequence (?:step cannot be 0|bounds and step must be finite)',
  'The number of keys and values must match',
  'Invalid input: syntax error while parsing JSON',
  "Invalid JSONPath: [^']*",
  'Input number: \\S+ cannot round-trip through string representation',
  'The provided JSON (?:input is not an? \\w+|number: \\S+ cannot be converted to an integer)',
  'JSON number: \\S+ cannot be converted to DOUBLE without loss of precision',
  'Percentile must be in the range \\[0, 1\\]',
  'LIMIT and OFFSET must not be NULL or negative',
  'The last argument of APPROX_TOP_(?:COUNT|SUM) must be positive',
].join('|');

const kinds: readonly Kind[] = [
  {
    pattern: /Pattern failed to parse, error: '(.*)'/,
    reason: 'invalidQuery',
    message: 'Cannot parse regular expression: $1',
  },
  {
    pattern: /Could not convert string 'ERROR: ([\s\S]*)' to INT64/,
    reason: 'invalidQuery',
    message: '$1',
    isValue: true,
  },
  {
    pattern: new RegExp(`Could not convert string ['"](${raised})`),
    reason: 'invalidQuery',
    message: '$1',
  },
  {
    pattern:
      /^Invalid Input Error: ((?:missing|unexpected|invalid|bad|no argument|trailing|nothing|pattern too large)\b.*)/,
    reason: 'invalidQuery',
    message: 'Cannot parse regular expression: $1',
  },
  {
    pattern: /^Out of Range Error: Overflow in \w+ of (?:DECIMAL|HUGEINT|INT128)/,
    reason: 'invalidQuery',
    message: 'numeric overflow',
  },
  {
    pattern: /^Out of Range Error: Overflow in \w+ of INT64 \((.*)\)!/,
    reason: 'invalidQuery',
    message: 'int64 overflow: $1',
  },
  {
    pattern: /^Out of Range Error: Overflow in division of (.*)/,
    reason: 'invalidQuery',
    message: 'int64 overflow: $1',
  },
  {
    pattern: /^Out of Range Error: Overflow in negation/,
    reason: 'invalidQuery',
    message: 'int64 overflow: --9223372036854775808',
  },
  {
    pattern: /^Out of Range Error: Overflow on abs\((.*)\)/,
    reason: 'invalidQuery',
    message: 'int64 overflow: ABS($1)',
  },
  {
    pattern: /^Conversion Error: Failure in decode/,
    reason: 'invalidQuery',
    message: 'Invalid cast of bytes to UTF8 string',
  },
  {
    pattern: /^(?:Syntax|Invalid Input) Error: Like pattern must not end with escape/,
    reason: 'invalidQuery',
    message: 'LIKE pattern ends with a backslash',
  },
  { pattern: /^Out of Range Error: Overflow/, reason: 'invalidQuery', message: 'int64 overflow' },
  {
    pattern: /^Conversion Error: Type INT128 with value .* destination type INT64/,
    reason: 'invalidQuery',
    message: 'int64 overflow',
  },
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
    pattern: /^Invalid Input Error: Argument for ntile must be greater than zero/,
    reason: 'invalidQuery',
    message: 'The number of buckets of NTILE must be positive',
  },
  {
    pattern: /^Binder Error: .*\b(?:window|correlated)\b/,
    reason: 'invalidQuery',
    message: 'A window function over columns of an outer query is not supported',
  },
  {
    pattern: /^Binder Error: .*\bsubquer(?:y|ies)\b/,
    reason: 'invalidQuery',
    message:
      'A sub-select or JSON_KEYS in this place is not supported: select it in a sub-query first',
  },
  {
    pattern: /^Invalid Input Error: list_\w+: \w+ argument can not contain NULL values/,
    reason: 'invalidQuery',
    message: 'A vector of a distance cannot contain NULL',
  },
  {
    pattern: /Max expression depth limit of \d+ exceeded/,
    reason: 'resourcesExceeded',
    message: 'The query has an expression that is too long: split it up',
  },
  {
    pattern: /^Out of Memory Error/,
    reason: 'resourcesExceeded',
    message: 'The query needs more memory than its limit (--memory-limit)',
  },
];

/** Most characters of a value that a message quotes. */
const quotedCharacters = 100;

/** What a message of a failure may say of the rows that the text read. */
export type Quoting = 'values' | 'no values' | 'nothing';

/** A failed text, and what its message may quote; `redact` removes personal data from a quote. */
export interface Failed {
  readonly sql: string;
  readonly quoting: Quoting;
  readonly redact?: ((text: string) => Promise<string>) | undefined;
}

/** A failure of the engine as a refusal; one that no row knows is a bug, and says nothing. */
export async function toServiceError(error: unknown, failed: Failed): Promise<Error> {
  const text = error instanceof Error ? error.message : String(error);
  const kind = kinds.find(({ pattern }) => pattern.test(text));
  if (kind === undefined) return unknownFailure(error, text, failed.sql);
  const group = kind.pattern.exec(text)?.[1] ?? '';
  const message = await worded(kind, group, failed);
  return new ServiceError(kind.reason, message, { cause: error });
}

async function worded(kind: Kind, group: string, { quoting, redact }: Failed): Promise<string> {
  const isOfData = kind.reason === 'invalidQuery';
  if (quoting === 'nothing' && isOfData) return "The endpoint's own query failed on its data";
  const message = kind.message.replace('$1', () => group);
  if (quoting !== 'values') return withoutValues(message, kind);
  // A value that is cut first may end within an address, which nothing then recognises.
  return shorten(redact === undefined ? message : await redact(message), kind);
}

/** `Bad int64 value: x` -> `Bad int64 value`: the row that failed may be of a project that did not ask. */
function withoutValues(message: string, { isValue }: Kind): string {
  if (isValue) return 'The query failed on its data: ERROR was called';
  const values = /'[^']*'|"[^"]*"|(?<!\w)-?\d[-\d.:/]*/g;
  return message.replace(/: [\s\S]*$/, '').replace(values, '…');
}

function unknownFailure(cause: unknown, text: string, sql: string): StatementFault {
  // DuckDB's own words for kinds, which quote nothing; whatever else stands there may.
  const [kind = 'Unknown Error'] = /^[A-Z][A-Za-z ]{1,40}(?=:)/.exec(text) ?? [];
  const digest = digestOf(sql).slice(0, 16);
  return new StatementFault('the engine failed on a statement', { kind, digest, cause });
}

/** A value begins behind the first colon or the first quote; one in quotes keeps its last one. */
function shorten(message: string, { isValue }: Kind): string {
  const lead = isValue ? '' : (/^[\s\S]*?(?:: ['"]?|['"])/.exec(message)?.[0] ?? message);
  const value = [...message.slice(lead.length)];
  if (value.length <= quotedCharacters) return message;
  const quote = /['"]$/.exec(lead)?.[0] ?? '';
  const end = value.at(-1) === quote ? quote : '';
  return `${lead}${value.slice(0, quotedCharacters).join('')}...${end}`;
}
