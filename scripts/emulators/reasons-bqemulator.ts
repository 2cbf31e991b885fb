import { instead, insteadOfError, type Reason } from './reason.js';

/** Why bqemulator answers otherwise, beside the reasons of both emulators. */
export const reasonsOfBqemulator: readonly Reason[] = [
  {
    statement: "SELECT PARSE_TIMESTAMP('%F %H:%M:%E*S%Ez', '2026-03-10 12:00:00.5+02:00')",
    theirs: 'Failed to parse input string',
    right: '%E*S reads 00.5, and %Ez +02:00',
    says: /Failed to parse input string '[^']*\.\d+\+02:00'/,
  },
  {
    statement: "SELECT PARSE_TIMESTAMP('%s', '1700000000')",
    theirs: 'Unrecognized format for strftime/strptime',
    right: '%s reads the seconds since 1970',
    says: /Unrecognized format for strftime\/strptime: %s/,
  },
  {
    statement: "SELECT PARSE_TIMESTAMP('%F %z', '2026-03-10 -0700')",
    theirs: 'a DATETIME',
    right: 'a TIMESTAMP',
    says: /^it answers with DATETIME/,
    cases: ['dialect.timestamp.032'],
  },
  {
    statement: "SELECT FORMAT_TIMESTAMP('%z|%Z', TIMESTAMP '2026-03-10')",
    theirs: '+00|',
    right: '+0000|UTC',
    gives: instead(['"+00"', '"+0000"'], ['""', '"UTC"'], ['"+05:30|+05:30"', '"+05:30|+0530"']),
  },
  {
    statement: "SELECT TIMESTAMP(DATETIME '2026-03-10 12:00:00', '+03:00')",
    theirs: 'syntax error',
    right: '09:00:00 UTC',
    says: /near "CAST".*TIMESTAMP\(CAST\('[^']*' AS TIMESTAMP\), '/s,
  },
  {
    statement: "SELECT CAST('12.5' AS INT64)",
    theirs: '13',
    right: 'an error',
    gives: insteadOfError('"13"'),
  },
  {
    statement: "SELECT BIGNUMERIC '123456789012345678901234567890.5'",
    theirs: 'value is out of range',
    right: 'it has up to 38 digits before the point',
    says: /Casting value "\d{30}\.5" to type DECIMAL\(38,10\) failed: value is out of range/,
  },
  {
    statement: 'SELECT SUM(x) FROM UNNEST([9223372036854775807, 1]) AS x',
    theirs: '9223372036854775808',
    right: 'an overflow is an error',
    gives: insteadOfError('"9223372036854775808"'),
  },
  {
    statement: "SELECT x FROM UNNEST([1.0, CAST('nan' AS FLOAT64)]) AS x ORDER BY x",
    theirs: 'NaN is last',
    right: 'NaN is less than all other numbers',
    gives: instead(['"-Infinity"', '"NaN"'], ['1', '"-Infinity"'], ['3', '1'], ['"NaN"', '3']),
    cases: ['dialect.numeric.027'],
  },
  {
    statement: String.raw`SELECT LENGTH('\x09')`,
    theirs: '4',
    right: '1: the escape is a tab',
    gives: instead(
      [String.raw`"tab\\x09here\\x0d\n"`, String.raw`"tab\there\r\n"`],
      [String.raw`"\\x08REDACTED"`, String.raw`"\bREDACTED"`],
      [String.raw`"\\x0c:1:2:3:4:5:6:7"`, String.raw`"\f:1:2:3:4:5:6:7"`],
      [
        '["92","120","48","55","92","120","48","56","92","120","48","99","10","92","120","48","100","92","120","48","57","92","120","48","98"]',
        '["7","8","12","10","13","9","11"]',
      ],
    ),
  },
  {
    statement: String.raw`SELECT b'\x00'`,
    theirs: 'pg_verifymbstr NOT IMPLEMENTED',
    right: 'one byte',
    says: /pg_verifymbstr NOT IMPLEMENTED/,
  },
  {
    statement: "SELECT INSTR('banana', 'an', -1)",
    theirs: '0',
    right: 'a negative position searches from the end: 4',
    gives: instead(['"0"', '"4"']),
    cases: ['dialect.string.020'],
  },
  {
    statement: "SELECT FORMAT('%t', TRUE)",
    theirs: 'invalid format string',
    right: 'true',
    says: /Invalid Input Error: invalid format string/,
  },
  {
    statement: "SELECT FORMAT('%T', 'a')",
    theirs: 'Invalid type specifier "T"',
    right: '"a"',
    says: /Invalid type specifier "T"/,
  },
  {
    statement:
      "SELECT ARRAY(SELECT e.value FROM UNNEST(t.a) AS e) FROM (SELECT APPROX_TOP_COUNT(x, 2) AS a FROM UNNEST(['b']) AS x) AS t",
    theirs: "Cannot extract field 'value'",
    right: "['b']: the elements are records of a value and a count",
    says: /Cannot extract field 'value' from expression/,
  },
  {
    statement: 'SELECT CODE_POINTS_TO_STRING(ARRAY<INT64>[72, 105])',
    theirs: "No function matches the given name and argument types 'chr(BIGINT)'",
    right: 'Hi',
    says: /'chr\(BIGINT\)'/,
  },
  {
    statement: 'SELECT ARRAY_AGG(DISTINCT x IGNORE NULLS) FROM UNNEST([1]) AS x',
    theirs: 'Syntax error',
    right: '[1]',
    says: /^Syntax error: Required keyword: 'this' missing.*FILTER\(WHERE NOT/s,
  },
  {
    statement: 'SELECT [1][OFFSET(-1)]',
    theirs: 'NULL',
    right: 'an index out of bounds is an error',
    gives: insteadOfError('null'),
    cases: ['dialect.array.040'],
  },
  {
    statement: "SELECT r IS NULL FROM UNNEST([RANGE(DATE '2026-02-10', NULL), NULL]) AS r",
    theirs: 'false for both',
    right: 'true for the second',
    gives: instead(
      ['"[UNBOUNDED, UNBOUNDED)"', '"[2026-02-10, 2026-04-01)"'],
      ['"[2026-02-10, 2026-04-01)"', 'null'],
      ['null', '"2026-02-10"'],
      ['"2026-02-10"', 'null'],
      ['null', '"2026-04-01"'],
      ['"2026-04-01"', 'null'],
      ['null', 'true'],
      ['true', 'null'],
      ['null', '["[2026-02-10, 2026-03-10)","[2026-03-10, 2026-04-01)"]'],
    ),
    cases: ['dialect.ranges.001'],
  },
  {
    statement:
      "SELECT RANGE_INTERSECT(RANGE<DATE> '[2026-02-10, 2026-04-01)', RANGE<DATE> '[2026-03-01, UNBOUNDED)')",
    theirs: 'NULL',
    right: '[2026-03-01, 2026-04-01)',
    gives: instead(['null', '"[2026-03-01, 2026-04-01)"']),
  },
  {
    statement:
      "SELECT GENERATE_RANGE_ARRAY(r, INTERVAL 1 MONTH) FROM UNNEST([RANGE(DATE '2026-02-10', DATE '2026-04-01')]) AS r",
    theirs: 'ranges of DATETIME',
    right: 'ranges of DATE',
    gives: instead([
      '["[2026-02-10 00:00:00, 2026-03-10 00:00:00)","[2026-03-10 00:00:00, 2026-04-01 00:00:00)"]',
      'null',
    ]),
  },
  {
    statement: 'SELECT (SELECT NTILE(2) OVER (ORDER BY x)) FROM UNNEST([1, 2]) AS x',
    theirs: 'window expression is not supported here (in ORDER BY: correlated columns)',
    right: 'a subquery may read columns of the query around it: 1 for both',
    says: /window expression is not supported here|correlated columns in window functions/,
    cases: ['window-over-outer-columns-1', 'window-over-outer-columns-2'],
  },
  {
    statement: 'SELECT ARRAY<STRUCT<>>[]',
    theirs: 'Syntax error: Expecting >',
    right: 'a STRUCT may have no fields',
    says: /Syntax error: Expecting >/,
  },
  {
    statement: `SELECT JSON '{"k":"v"}'['k']`,
    theirs: "Could not convert string 'k' to INT64",
    right: '"v"',
    says: /Could not convert string 'k' to INT64/,
  },
  {
    statement: 'SELECT TO_JSON_STRING(CAST(NULL AS STRING))',
    theirs: 'NULL',
    right: 'the text null',
    gives: instead(['null', '"null"']),
  },
  {
    statement: "SELECT APPROX_TOP_COUNT(x, 2) FROM UNNEST(['a', 'b', 'a']) AS x",
    theirs: "['a', 'b']",
    right: 'an array of STRUCT<value STRING, count INT64>',
    says: /^it answers with STRING\[\]$/,
    cases: ['dialect.aggregate.013'],
  },
];
