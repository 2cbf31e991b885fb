import { type Json, parseJson, printJson } from '../../test/support/json.js';
import { instead, insteadOfError, type Reason } from './reason.js';
import { reasonsOfRedacted } from './reasons-bigquery-emulator-redacted.js';

/** Why bigquery-emulator, which has Google's own parser, but SQLite to run statements, answers otherwise. */
export const reasonsOfBigqueryEmulator: readonly Reason[] = [
  ...reasonsOfRedacted,
  {
    statement: "SELECT SAFE_CAST(x AS STRING) FROM (SELECT b'abc' AS x)",
    theirs: 'YWJj: the base64 of the text',
    right: 'abc',
    gives: ({ ours, theirs }) =>
      Buffer.from(theirs.slice(1, -1), 'base64').toString() === ours.slice(1, -1),
  },
  {
    statement: 'SELECT @p = DATE(2026, 3, 10), @p',
    theirs:
      'Undeclared parameter is used assuming different types: the types of parameters are dropped',
    right: 'a parameter has the type that the request names',
    says: /^failed to analyze: INVALID_ARGUMENT: Undeclared parameter '\w+' is used assuming different types|^failed to convert value from \{Name:\w+ Ordinal:1 Value:[^}]*\}: strconv\.ParseInt: /,
  },
  {
    statement: "SELECT REGEXP_CONTAINS(x, 'a') FROM (SELECT @p AS x)",
    theirs: 'No matching signature for function REGEXP_CONTAINS for argument types: INT64, STRING',
    right: 'a parameter has the type that the request names',
    says: /No matching signature for function REGEXP_CONTAINS for argument types: INT64, STRING/,
    cases: ['pa-project', 'sandbox.tables.009'],
  },
  {
    statement: 'SELECT y FROM (SELECT 1) LEFT JOIN UNNEST(ARRAY<INT64>[]) AS y',
    theirs: 'no row',
    right: 'a LEFT JOIN keeps the left row: NULL',
    gives: ({ ours, theirs }) => isPartOf(theirs, ours),
    cases: ['sb-left-struct-null', 'sb-left-country', 'fi-pooler'],
  },
  {
    statement: "SELECT 'abc' LIKE '_b_'",
    theirs: 'false',
    right: 'an underscore is any character: true',
    gives: instead(['false', 'true'], ['false', 'null']),
    cases: ['dialect.string.037'],
  },
  {
    statement: "SELECT JSON_VALUE('not json', '$.a')",
    theirs: 'invalid character o as null',
    right: 'NULL',
    says: /^failed to scan rows: (json: )?invalid character /,
  },
  {
    statement: 'SELECT APPROX_QUANTILES(x, 2) FROM UNNEST([3, 1, 2]) AS x',
    theirs: '[3, 1, 2]: values that are not sorted',
    right: '[1, 2, 3]',
    gives: instead(
      ['"7"', '"38"'],
      ['null', '"1"'],
      ['"1"', '"9"'],
      ['"2050"', '"95"'],
      ['"41"', '"30000"'],
      ['"5"', '"1"'],
      ['"1"', '"2"'],
      ['"4"', '"3"'],
      ['"2"', '"4"'],
      ['"3"', '"5"'],
      ['"7"', '"8"'],
      ['"8"', '"9"'],
      ['"9"', '"7"'],
    ),
    cases: ['ag-quantiles', 'dialect.aggregate.011', 'dialect.aggregate.012'],
  },
  {
    statement: 'SELECT IEEE_DIVIDE(0, 0)',
    theirs: 'NULL',
    right: 'NaN',
    gives: instead(['null', '"NaN"']),
    cases: ['ag-safe-divide-zero'],
  },
  {
    statement: "SELECT STRUCT<t TIMESTAMP>(TIMESTAMP '2026-03-10 12:00:00+00')",
    theirs: '2026-03-10T12:00:00Z, although the request asks for microseconds',
    right: '1773144000000000',
    says: /^it answers with RECORD/,
    cases: ['st-row-value'],
  },
  {
    statement: "SELECT CAST('inf' AS FLOAT64)",
    theirs: 'parsing "CAST(\\"inf\\" AS DOUBLE)": invalid syntax',
    right: 'Infinity',
    says: /parsing "CAST\(\\"(inf|nan)\\" AS DOUBLE\)": invalid syntax$/,
  },
  {
    statement: "SELECT TIMESTAMP '0001-01-01 00:00:00+00'",
    theirs: '-6795364578871345: nanoseconds overflow',
    right: '-62135596800000000 microseconds',
    gives: instead(
      ['"-6795364578871345"', '"-62135596800000000"'],
      ['"-4852116231933723"', '"253402300799999999"'],
    ),
  },
  {
    statement: 'SELECT LOG(8, 2)',
    theirs: '2048',
    right: 'the base is the second: 3.0',
    gives: instead(['1.2676506002282294e+32', '2'], ['2048', '3']),
  },
  {
    statement: 'SELECT SAFE_ADD(9223372036854775807, 1)',
    theirs: '-9223372036854775808',
    right: 'NULL, since it overflows',
    gives: instead(
      ['"-9223372036854775808"', 'null'],
      ['"9223372036854775807"', 'null'],
      ['"-2"', 'null'],
    ),
    cases: ['dialect.numeric.015'],
  },
  {
    statement: 'SELECT 9223372036854775807 + 1',
    theirs: '-9223372036854775808',
    right: 'an error',
    gives: insteadOfError('"-9223372036854775808"'),
  },
  {
    statement: 'SELECT SQRT(-4)',
    theirs: 'NULL',
    right: 'an error',
    gives: insteadOfError('null'),
    cases: ['dialect.numeric.036'],
  },
  {
    statement: 'SELECT LN(0)',
    theirs: '-Infinity',
    right: 'an error',
    gives: insteadOfError('"-Infinity"'),
  },
  {
    statement: 'SELECT DATE(2026, 2, 30)',
    theirs: '2026-03-02',
    right: 'an error',
    gives: insteadOfError('"2026-03-02"'),
  },
  {
    statement: 'SELECT (SELECT x FROM UNNEST([1, 2]) AS x)',
    theirs: '1',
    right: 'an error: a scalar subquery has one row at most',
    gives: insteadOfError('"1"'),
    cases: ['dialect.query.038'],
  },
  {
    statement: 'SELECT CAST(1e30 AS INT64)',
    theirs: 'a number that is another one in each process',
    right: 'an error, and NULL for SAFE_CAST',
    gives: ({ ours, theirs }) =>
      (ours === 'null' || ours.includes('invalidQuery')) && /^\D*\d{15}\D*$/.test(theirs),
    cases: ['dialect.cast.007', 'dialect.cast.022'],
  },
  {
    statement: "SELECT REPLACE('abc', '', 'x')",
    theirs: 'xaxbxcx',
    right: 'nothing is replaced: abc',
    gives: instead(['"xaxbxcx"', '"abc"']),
  },
  {
    statement: "SELECT INSTR('banana', 'an')",
    theirs: 'invalid position number. position is must be large than zero value',
    right: '2: it searches from the start',
    says: /INSTR: invalid position number/,
  },
  {
    statement: "SELECT FORMAT('%t', TRUE)",
    theirs: '1',
    right: 'true',
    gives: instead(['"1"', '"true"']),
    cases: ['dialect.string.022'],
  },
  {
    statement: "SELECT EDIT_DISTANCE('kitten', 'sitting')",
    theirs: 'Function not found',
    right: 'the manual has these functions: 3',
    says: /^failed to analyze: INVALID_ARGUMENT: Function not found: (EDIT_DISTANCE|MAX_BY|MIN_BY);/,
  },
  {
    statement: 'SELECT COUNT(*) FROM UNNEST([1, NULL, 3]) AS x WHERE x NOT IN (1, NULL)',
    theirs: '1',
    right: '3 NOT IN (1, NULL) is NULL: 0',
    gives: instead(['"1"', '"0"']),
    cases: ['dialect.nulls.017'],
  },
  {
    statement: 'SELECT CAST(NULL AS BOOL) IS NOT TRUE',
    theirs: 'NULL',
    right: 'true',
    gives: instead(['"1"', '"2"']),
    cases: ['dialect.nulls.018'],
  },
  {
    statement: "SELECT CAST('2026-03-10 01:02:03' AS TIMESTAMP)",
    theirs: '08:02:03: the zone is that of California',
    right: 'a time without a zone is in UTC: 01:02:03',
    gives: instead(
      ['"1773129723000000"', '"1773104523000000"'],
      ['"1773126000000000"', '"1773100800000000"'],
    ),
  },
  {
    statement: "SELECT CAST(DATE '2026-03-10' AS STRING FORMAT 'YYYY/MM/DD')",
    theirs: '2026-03-10',
    right: '2026/03/10',
    gives: instead(['"2026-03-10"', '"2026/03/10"']),
  },
  {
    statement: "SELECT TIMESTAMP_TRUNC(TIMESTAMP '2026-03-11 15:47:38+00', ISOWEEK)",
    theirs: '15 February',
    right: 'Monday, 9 March',
    gives: instead(['"1771113600000000"', '"1773014400000000"']),
  },
  {
    statement: "SELECT DATETIME_TRUNC(DATETIME '2026-03-11 15:47:38', WEEK)",
    theirs: '2026-03-08T15:47:38',
    right: '2026-03-08T00:00:00',
    gives: instead(['"2026-03-08T15:47:38"', '"2026-03-08T00:00:00"']),
  },
  {
    statement: "SELECT EXTRACT(WEEK(MONDAY) FROM DATE '2026-01-05')",
    theirs: 'unexpected part WEEK_MONDAY',
    right: '1',
    says: /EXTRACT: unexpected part WEEK_MONDAY/,
  },
  {
    statement: "SELECT EXTRACT(TIME FROM TIMESTAMP '2026-03-10 12:00:00+00')",
    theirs: 'no such function: zetasqlite_extract_time',
    right: '12:00:00',
    says: /: no such function: zetasqlite_extract_time$/,
  },
  {
    statement: "SELECT FORMAT_TIMESTAMP('%z', TIMESTAMP '2026-03-11 15:47:38+00')",
    theirs: '0',
    right: '+0000',
    gives: instead(['"0"', '"+0000"'], ['"+05:3019800"', '"+05:30|+0530"']),
  },
  {
    statement: "SELECT PARSE_TIMESTAMP('%F %z', '2026-03-10 -0700')",
    theirs: 'unimplemented time zone offset matcher',
    right: '2026-03-10 07:00:00 UTC',
    says: /unimplemented time zone offset matcher$/,
  },
  {
    statement: 'SELECT ARRAY_LENGTH(CAST(NULL AS ARRAY<INT64>))',
    theirs: 'its process ends',
    right: 'NULL',
    says: /^it ends$/,
    cases: ['dialect.array.002'],
  },
  {
    statement: 'SELECT 3 IN UNNEST([1, NULL])',
    theirs: 'its process ends',
    right: 'NULL',
    says: /^it ends$/,
    cases: ['dialect.array.015'],
  },
  {
    statement: 'SELECT TO_JSON_STRING(CAST(NULL AS STRING))',
    theirs: 'its process ends',
    right: 'null',
    says: /^it ends$/,
    cases: ['dialect.json.008'],
  },
  {
    statement: 'SELECT ARRAY_LENGTH(ARRAY_AGG(x)) FROM UNNEST(ARRAY<INT64>[]) AS x',
    theirs: '0',
    right: 'ARRAY_AGG of no rows is NULL, and so is its length',
    gives: instead(['"0"', 'null']),
    cases: ['dialect.array.006'],
  },
  {
    statement: 'SELECT x FROM UNNEST([1]) AS x GROUP BY GROUPING SETS (x, ())',
    theirs: 'Expected "(" but got identifier "SETS"',
    right: '1 and NULL',
    says: /Syntax error: Expected "\(" but got identifier "SETS"/,
  },
  {
    statement: "SELECT STRING_AGG(x, '') FROM UNNEST(['a', 'b']) AS x",
    theirs: 'a,b',
    right: 'ab',
    gives: instead(['"a,b"', '"ab"'], ['"a,b,c"', '"abc"']),
  },
  {
    statement: 'SELECT -x FROM UNNEST([1]) AS x',
    theirs: 'no such function: zetasqlite_unary_minus',
    right: '-1',
    says: /: no such function: zetasqlite_unary_minus$/,
  },
  {
    statement:
      'CREATE TEMP TABLE t AS SELECT [STRUCT(9007199254740993 AS n)] AS m; SELECT t.m[OFFSET(0)].n FROM t',
    theirs: '9007199254740992: a number in a record of a table is a FLOAT64',
    right: '9007199254740993',
    gives: instead(['"9007199254740992"', '"9007199254740993"']),
  },
  {
    statement: "SELECT RANGE<DATE> '[2026-03-01, 2026-04-01)'",
    theirs: 'Unexpected keyword RANGE',
    right: 'a RANGE of dates',
    says: /Syntax error: Unexpected keyword RANGE/,
  },
  {
    statement: 'SELECT (SELECT ROW_NUMBER() OVER (ORDER BY x)) FROM UNNEST([1]) AS x',
    theirs: 'SELECT without FROM clause cannot use analytic functions',
    right: '1, if BigQuery has no such rule: the manual has none',
    says: /^failed to analyze: INVALID_ARGUMENT: SELECT without FROM clause cannot use analytic functions/,
  },
  {
    statement: 'SELECT 1 / 0',
    theirs: 'the reason `jobInternalError`, which is that of all its failures',
    right: '`invalidQuery`',
    fails:
      /^failed to scan rows: (error parsing regexp: missing closing |zero divided error |strconv\.ParseInt: parsing "[^"]*": invalid syntax$|OFFSET\(-?\d+\) is out of range$)/,
  },
];

/** Whether a list of rows is another one without some of its rows. */
function isPartOf(part: string, whole: string): boolean {
  const [some, all] = [part, whole].map((rows) => parseJson(rows)) as [Json[], Json[]];
  const texts = all.map(printJson);
  return some.length < all.length && some.every((row) => texts.includes(printJson(row)));
}
