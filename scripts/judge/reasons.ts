import { type JsonObject, printJson } from '../../test/support/json.js';
import type { Reason } from './reason.js';
import { refusals } from './reasons-refused.js';
import type { Answer } from './reference.js';

/** We answer otherwise, or answer what the reference implementation refuses. */
const answers: readonly Reason[] = [
  {
    what: '`::` and `ILIKE`',
    right: 'reference',
    why: 'accepted beyond BigQuery, because clients send them',
    sql: /::|\bilike\b/i,
    theirs:
      /^Syntax error: (?:Expected end of input but got ":"|Unexpected ":"|Expected end of input but got keyword ANY)/,
  },
  {
    what: "the literal `NULL` as an operand: `null like 'a'`, `null = null`, `not null`",
    right: 'reference',
    why: 'the manual says of `LIKE` that it is an error; we answer NULL',
    theirs: /^Operands of .+ cannot be literal NULL/,
  },
  {
    what: 'an expression of GROUP BY again in ORDER BY, or within an expression of SELECT: `group by mod(x, 2) order by mod(x, 2)`',
    right: 'unknown',
    why: 'the manual does not say that only a whole item of SELECT may repeat it; we accept both',
    sql: /\bgroup by (.+?)( order by \1|$)|^select (upper\(g\)) \|\| .*\bgroup by \3 /i,
    theirs: /which is neither grouped nor aggregated/,
  },
  {
    what: "ORDER BY with a literal: `order by 'x'`",
    right: 'unknown',
    why: 'it orders nothing; we accept it',
    theirs: /^Cannot ORDER BY literal values/,
  },
  {
    what: 'SELECT DISTINCT with ORDER BY of an expression over its columns',
    right: 'unknown',
    why: 'we accept an expression of what is selected, such as `-count(*)`',
    theirs: /after SELECT DISTINCT/,
  },
  {
    what: 'an aggregate in a SELECT without FROM: `select count(*) * 0.5`',
    right: 'unknown',
    why: 'we read one row, as without an aggregate',
    theirs: /^SELECT without FROM clause cannot use aggregation/,
  },
  {
    what: '`ANY_VALUE` where some values are NULL',
    right: 'we',
    why: 'the manual: NULL is not chosen where there is another value; the reference implementation is older',
    sql: /\bany_value\(/,
    detail: /is "same", expected null$/,
  },
  {
    what: '`group by ()` and `group by grouping sets ((), ())`',
    right: 'we',
    why: 'the reference implementation fails inside',
    sql: /group by (?:\(\)$|grouping sets\(\(\), \(\))/,
    theirs: /^$/,
  },
  {
    what: 'arrays of different types together: `array_concat([1], [2.5])`, `cast([1] as array<string>)`',
    right: 'reference',
    why: 'the manual wants the same type; we convert the elements',
    theirs:
      /^No matching signature for (?:function (?:ARRAY_CONCAT|COALESCE|IF)|operator \|\|) for argument types: (?:\w+, )?ARRAY<\w+>, ARRAY<|^Casting between arrays with incompatible/,
  },
  {
    what: "a zone without a time: `timestamp '2026-03-01 America/New_York'`",
    right: 'reference',
    why: 'the manual has a zone after a time only; we read midnight there',
    sql: /timestamp '\d+-\d+-\d+ [A-Z]/,
    theirs: /^Invalid TIMESTAMP literal/,
  },
  {
    what: '`[\'name\']` in a path of `JSON_VALUE` or `JSON_QUERY`, `"name"` in one of `JSON_EXTRACT`',
    right: 'reference',
    why: 'the manual has either in one family of functions only; we accept both in both',
    theirs: /^Invalid token in JSONPath at: \.?\[?["']/,
  },
  {
    what: 'a JSONPath that is no literal',
    right: 'reference',
    why: 'we accept any text',
    theirs: /^(?:JSONPath|Argument 2 to JSON_SET) must be a (?:string )?literal or query parameter/,
  },
  {
    what: '`GENERATE_ARRAY` of more than 16,000 elements',
    right: 'we',
    why: 'a limit of the reference implementation',
    theirs: /^Cannot generate arrays with more than 16000 elements/,
  },
  {
    what: "spaces in a format of CAST: `cast('DEC 03, 2018' as date format 'MON DD, YYYY')`",
    right: 'we',
    why: 'an example of the manual, which the reference implementation of that time refuses',
    theirs: /^Failed to parse input timestamp string at \d+ with format element ' '/,
  },
  {
    what: '`interval 1500 millisecond`',
    right: 'we',
    why: 'the manual has MILLISECOND and MICROSECOND; the reference implementation is older',
    theirs: /^(?:Invalid|Unsupported) interval datetime field/,
  },
  {
    what: '`NOT LIKE ANY` and `NOT LIKE ALL`',
    right: 'we',
    why: 'the manual: TRUE if one pattern does not match; the reference implementation is older, and negates LIKE ANY',
    sql: /not like (?:any|all)/,
    detail: /is (?:true, expected false|false, expected true)$/,
  },
  {
    what: "`generate_date_array('2016-01-31', '2016-05-31', interval 1 month)`",
    right: 'unknown',
    why: 'we add the months to the first date, the reference implementation to the one before',
    sql: /generate_date_array\('\d+-\d+-(?:29|30|31)'.* (?:month|quarter|year)/,
  },
  {
    what: "`SAFE_CAST` to a type with a length or a precision: `safe_cast('abc' as string(2))`",
    right: 'we',
    why: 'the manual: SAFE_CAST gives NULL; the reference implementation fails',
    sql: /safe_cast\(/,
    theirs: /^(?:STRING|BYTES|NUMERIC|BIGNUMERIC)\([\d, ]+\) has (?:maximum length|precision)/,
  },
  {
    what: "AND and OR of which the left side decides, WHERE around that of a sub-select, and CTEs of a sub-select in a branch that is not taken: `s <> 'x' and cast(s as int64) = 1`",
    right: 'unknown',
    why: 'the manual promises no order; we do not evaluate the right side, the reference implementation does',
    sql: /\b(?:and|or|where|with) /,
    id: /guarded-(?:clauses|conditions|rows|sub-selects)\.json/,
    theirs:
      /^(?:Bad int64 value|division by zero|More than one element|Argument to ASCII|Invalid input to PARSE_JSON)/,
  },
  {
    what: "string literals side by side: `'a' 'b'`",
    right: 'we',
    why: 'the reference implementation is older',
    theirs: /^Syntax error: Expected end of input but got (?:string|bytes) literal/,
  },
  {
    what: "the fraction of a leap second: `timestamp '2026-01-01 23:59:60.5+00'`",
    right: 'unknown',
    why: 'we leave it out, as both do in a DATETIME and a TIME',
    sql: /23:59:60\.5\+00/,
  },
  {
    what: '`*` and `TO_JSON_STRING` of records with declared fields that no file has',
    right: 'reference',
    why: "they are left out: a source declares many fields that a platform's logs do not have",
    butFor: /\\*"absent\\*":null,|,\\*"absent\\*":null/g,
  },
  {
    what: '`SAFE_CAST` of a struct, of which a field cannot be converted',
    right: 'unknown',
    why: 'we give NULL for the struct, the reference implementation for the field',
    sql: /safe_cast\(struct/,
    detail: /is null, expected \{"a":null\}$/,
  },
  {
    what: '`PERCENTILE_DISC` where a row lies exactly at the percentile, up to the rounding of FLOAT64',
    right: 'unknown',
    why: '3 of 30 rows are a tenth to us; to the reference implementation FLOAT64 0.1 is more',
    sql: /percentile_disc\(x, 0\.1\).*generate_array\(1, 30\)/,
  },
  {
    what: 'a struct with two fields of one name: `struct(1, 2 as _field_1)`',
    right: 'unknown',
    why: 'the JSON has both, of which the judge reads one',
    sql: /struct\(1, 2 as _field_1\)/,
  },
  {
    what: 'several columns of one name in the answer: `select 1 as a, 2 as a`',
    right: 'we',
    why: 'recorded on BigQuery: they become `a` and `a_1`; the reference implementation counts otherwise',
    detail: /^column (\w+)_\d+, not \1$/i,
  },
  {
    what: "a lax path of `JSON_QUERY`: `'lax $.a.b'`",
    right: 'we',
    why: 'the manual has it; the reference implementation is older',
    theirs: /^JSONPath must start with '\$'/,
  },
  {
    what: '`GAP_FILL`',
    right: 'we',
    why: 'the manual has it; the reference implementation is older',
    theirs: /^Table-valued function not found: gap_fill/,
  },
  {
    what: '`chr(0)`',
    right: 'we',
    why: 'the manual: an empty string',
    sql: /chr\((?:0|n)\)/,
  },
  {
    what: 'buckets of months for a TIMESTAMP or a DATETIME',
    right: 'we',
    why: 'the manual allows them; the reference implementation is older',
    theirs: /^Bucket width INTERVAL with non-zero MONTH part is not allowed/,
  },
  {
    what: 'a literal NULL as a range: `range_overlaps(r, null)`',
    right: 'reference',
    why: 'the result is NULL, as for a NULL of the type',
    theirs: /^A literal NULL argument cannot be accepted in place of RANGE/,
  },
  {
    what: 'an error in a CTE that no query reads, such as an ambiguous name',
    right: 'reference',
    why: 'such a CTE costs nothing and can fail nothing: a later log line may not break a query that does not read it',
    sql: /^with c\d+ as/,
    theirs: /^Column name \w+ is ambiguous/,
  },
  {
    what: 'a window function in a SELECT without FROM',
    right: 'unknown',
    why: 'we read one row',
    theirs: /^SELECT without FROM clause cannot use analytic functions/,
  },
  {
    what: 'JSON nested more than 500 deep',
    right: 'we',
    why: 'the manual: a JSON value has a nesting limit of 500',
    id: /parse_json\(concat\(repeat\('\[', \d+\)/,
  },
  {
    what: 'a NULL path of `JSON_SET`, `JSON_REMOVE` and `JSON_STRIP_NULLS`, a NULL `append_each_element` or `include_arrays`',
    right: 'we',
    why: 'the manual: the operation is ignored; the reference implementation is older and answers NULL',
    sql: /json_(?:set|remove|strip_nulls|array_append)\(.*(?:cast\(null as string\)|=> null)/i,
    detail: /expected null$/,
  },
  {
    what: 'PERCENTILE_CONT of NUMERIC and BIGNUMERIC',
    right: 'we',
    why: 'the manual: the result has the type of the values; the reference implementation converts them to FLOAT64',
    detail: /is (?:BIG)?NUMERIC, not FLOAT64$/,
    sql: /percentile_cont/,
  },
  {
    what: 'AVG of FLOAT64 whose sum overflows',
    right: 'we',
    why: 'the manual: an overflow is an error',
    ours: /^double overflow/,
    sql: /\bavg\(/,
  },
  {
    what: '`log(x, 1)` with an infinite `x`',
    right: 'unknown',
    why: 'the table of the manual does not have it; to us a base of 1 is always an error',
    ours: /^Floating point error in function: LOG\(inf, 1\)/,
  },
  {
    what: "seconds of more than six places in a string with an INTERVAL: `cast('PT0.1234567S' as interval)`",
    right: 'we',
    why: 'the manual: an INTERVAL has microseconds; the reference implementation keeps nanoseconds',
    sql: /PT0\.1234567S/,
  },
  {
    what: "a URL with an empty label: `net.public_suffix('http://a..com')`",
    right: 'unknown',
    why: 'to us it is not a host name',
    sql: /net\.\w+\('http:\/\/a\.\.com'/,
  },
];

/** The known differences: a row of the table in the documentation each. */
export const reasons: readonly Reason[] = [...answers, ...refusals];

/** A difference, as reasons look at it. */
export interface Difference {
  readonly id: string;
  readonly sql: string;
  readonly detail: string;
  readonly ours: Answer;
  readonly theirs: Answer;
}

/** The reason for a difference; undefined if nobody has given one. */
export function reasonFor(difference: Difference): Reason | undefined {
  const { id, sql, detail, ours, theirs } = difference;
  const answerError = (answer: Answer) => ('error' in answer ? answer.error : undefined);
  const texts = { id, sql, detail, ours: answerError(ours), theirs: answerError(theirs) };
  return reasons.find(
    (reason) =>
      (['id', 'sql', 'detail', 'ours', 'theirs'] as const).every((key) =>
        isMatch(reason[key], texts[key]),
      ) && areEqualBut(reason.butFor, difference),
  );
}

function isMatch(pattern: RegExp | undefined, text: string | undefined): boolean {
  return pattern === undefined || (text !== undefined && pattern.test(text));
}

/** Whether the rows are equal, in any order, once what the pattern matches in their JSON is left out. */
function areEqualBut(pattern: RegExp | undefined, { ours, theirs }: Difference): boolean {
  if (pattern === undefined) return true;
  if ('error' in ours || 'error' in theirs) return false;
  const texts = [ours, theirs].map(({ rows }) => {
    const printed = rows.map((row) => printRow(row as JsonObject).replaceAll(pattern, ''));
    return printed.sort().join('\n');
  });
  return texts[0] === texts[1];
}

/** A row as JSON; columns that the query gives no name have none. */
function printRow(row: JsonObject): string {
  const cells = Object.entries(row).map(([name, value]) => {
    const given = /^(?:f\d+_|_field_\d+)$/.test(name) ? '' : name;
    return `${printJson(given)}:${printJson(value)}`;
  });
  return `{${cells.join(',')}}`;
}
