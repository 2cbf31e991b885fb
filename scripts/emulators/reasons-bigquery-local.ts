import { type Differing, instead, insteadOfError, type Reason } from './reason.js';

/** Why bigquery-local answers otherwise, beside the reasons of both emulators. */
export const reasonsOfBigqueryLocal: readonly Reason[] = [
  {
    statement: 'SELECT ARRAY<INT64>[1]',
    theirs: 'syntax error at or near "<"',
    right: '[1]: the type of an array may stand before it',
    // The line that it quotes may end before the array, or be another one without the sign.
    says: /near "<"(.*(ARRAY<|ARRAY_TO_STRING\.\.\.)|\s+LINE \d+: [^<\n]*\n)/s,
  },
  {
    statement: 'SELECT CAST(NULL AS ARRAY<STRING>)',
    theirs: 'syntax error at or near "ARRAY"',
    right: 'NULL',
    // The line that it quotes may be another one.
    says: /near "ARRAY"/,
  },
  {
    statement: 'SELECT STRUCT<a INT64>(1)',
    theirs: 'syntax error at or near "BIGINT"',
    right: 'a STRUCT of one field: its type may stand before its values',
    // The line that it quotes may be another one without the word.
    says: /near "(BIGINT|TIMESTAMP|>)"(.*STRUCT<"?\w+"? |\s+LINE \d+: ((?!\1)[^\n])*\n)/s,
  },
  {
    statement: 'SELECT CAST(NULL AS STRUCT<a INT64>)',
    theirs: 'syntax error at or near "<"',
    right: 'NULL',
    says: /near "<".*CAST\(NULL AS STRUCT</s,
  },
  {
    statement: "SELECT RANGE<DATE> '[2026-03-01, 2026-04-01)'",
    theirs: 'syntax error at or near ">"',
    right: 'a RANGE of dates',
    says: /near ">".*RANGE<DATE>/s,
  },
  {
    statement: 'SELECT y FROM (SELECT [1] AS x) AS t LEFT JOIN UNNEST(t.x) AS y WHERE y = 1',
    theirs: 'syntax error at or near "WHERE"',
    right: '1: a LEFT JOIN with an array of its left side needs no ON',
    says: /near "(WHERE|GROUP)"/,
    cases: ['sb-left-struct-null', 'sb-left-country'],
  },
  {
    statement: "SELECT SAFE.PARSE_JSON('{bad')",
    theirs: 'Scalar Function with name parse_json does not exist!',
    right: 'NULL',
    says: /name parse_json does not exist/,
  },
  {
    statement: "SELECT PARSE_JSON('1', wide_number_mode => 'round')",
    theirs: 'PARSE_JSON requires exactly one argument',
    right: '1',
    says: /PARSE_JSON requires exactly one argument/,
  },
  {
    statement: `SELECT JSON '{"n":4}'['n']`,
    theirs: 'syntax error at or near "["',
    right: '4',
    says: /near "\[".*JSON '/s,
  },
  {
    statement: `SELECT ARRAY_LENGTH(JSON_VALUE_ARRAY('["a"]', '$'))`,
    theirs: "No function matches 'array_length(VARCHAR)'",
    right: 'JSON_VALUE_ARRAY gives an array: 1',
    says: /'array_length\(VARCHAR\)'.*json_extract_string/s,
  },
  {
    statement: `SELECT JSON_VALUE('{"a":{"b":2}}', '$.a')`,
    theirs: '{"b":2}',
    right: 'NULL, since it is no scalar',
    gives: ({ ours, theirs }) => ours === 'null' && theirs.startsWith('"{'),
    cases: ['js-non-scalar', 'dialect.json.001'],
  },
  {
    statement: "SELECT TO_CODE_POINTS('a')",
    theirs: 'BigQuery feature not supported in v0',
    right: 'the manual has these functions',
    says: /not supported in v0: (APPROX_QUANTILES|APPROX_TOP_COUNT|CODE_POINTS_TO_STRING|INITCAP|JSON_EXTRACT_ARRAY|RANGE_BUCKET|REGEXP_INSTR|SAFE_CONVERT_BYTES_TO_STRING|TO_CODE_POINTS)$/,
  },
  {
    statement: "SELECT TIME_ADD(TIME '23:30:00', INTERVAL 1 HOUR)",
    theirs: 'Scalar Function with name time_add does not exist!',
    right: '00:30:00',
    says: /name time_add does not exist/,
  },
  {
    statement: "SELECT DATETIME(TIMESTAMP '2026-03-10', 'UTC')",
    theirs: 'Scalar Function with name datetime does not exist!',
    right: '2026-03-10T00:00:00',
    says: /name datetime does not exist/,
  },
  {
    statement: "SELECT TIMESTAMP('2026-03-10', 'UTC')",
    theirs: `syntax error at or near "'2026-03-10'"`,
    right: '2026-03-10 00:00:00 UTC',
    says: /near "'[^"]*'".*TIMESTAMP\('/s,
  },
  {
    statement: "SELECT CAST('2026-03-10' AS TIMESTAMP)",
    theirs: 'a DATETIME',
    right: 'a TIMESTAMP',
    says: /^it answers with DATETIME/,
    cases: ['dialect.cast.011', 'ti-cast-string'],
  },
  {
    statement: "SELECT TIMESTAMP '2026-03-10 12:00:00.000001+00'",
    theirs: '12:00:00: it cuts times to milliseconds',
    right: 'a TIMESTAMP and a DATETIME have microseconds',
    gives: cutToMilliseconds,
  },
  {
    statement: "SELECT FORMAT_TIMESTAMP('%F', TIMESTAMP '2026-03-11')",
    theirs: 'Unrecognized format for strftime/strptime: %F',
    right: '2026-03-11',
    says: /Unrecognized format for strftime\/strptime: %F/,
  },
  {
    statement: "SELECT PARSE_TIMESTAMP('%E*S', '1.5')",
    theirs: 'Unrecognized format for strftime/strptime: %E',
    right: '1970-01-01 00:00:01.5 UTC',
    says: /Unrecognized format for strftime\/strptime: %E/,
  },
  {
    statement: "SELECT FORMAT_TIMESTAMP('%c', TIMESTAMP '2026-03-10 12:00:00')",
    theirs: '2026-03-10 12:00:00',
    right: 'Tue Mar 10 12:00:00 2026',
    gives: instead(['"2026-03-10 12:00:00"', '"Tue Mar 10 12:00:00 2026"']),
  },
  {
    statement: "SELECT FORMAT_TIMESTAMP('%H', TIMESTAMP '2026-03-11', 'America/New_York')",
    theirs:
      "No function matches 'strftime(TIMESTAMP WITH TIME ZONE, STRING_LITERAL, STRING_LITERAL)'",
    right: '20: a time zone may follow',
    says: /'str[fp]time\([\w ]+, STRING_LITERAL, STRING_LITERAL\)'/,
  },
  {
    statement: "SELECT LAST_DAY(DATE '2026-03-10', YEAR)",
    theirs: 'Referenced column "YEAR" was not found',
    right: '2026-12-31',
    says: /Referenced column "YEAR" was not found.*last_day\(/s,
  },
  {
    statement: "SELECT SPLIT('a,b')",
    theirs: "No function matches 'string_split(STRING_LITERAL)'",
    right: "the delimiter is a comma: ['a', 'b']",
    says: /'string_split\(STRING_LITERAL\)'/,
  },
  {
    statement: "SELECT INSTR('banana', 'an', 3)",
    theirs: "No function matches 'instr(STRING_LITERAL, STRING_LITERAL, INTEGER_LITERAL)'",
    right: 'a position may follow: 4',
    says: /'instr\(STRING_LITERAL, STRING_LITERAL, INTEGER_LITERAL\)'/,
  },
  {
    statement: String.raw`SELECT REGEXP_EXTRACT('a1b2c3', r'\d', 3, 2)`,
    theirs: "No function matches 'regexp_extract(…, INTEGER_LITERAL, INTEGER_LITERAL)'",
    right: 'a position and an occurrence may follow: 3',
    says: /'regexp_extract\(STRING_LITERAL, STRING_LITERAL, INTEGER_LITERAL, INTEGER_LITERAL\)'/,
  },
  {
    statement: "SELECT REGEXP_EXTRACT('foo', 'bar')",
    theirs: 'the empty text',
    right: 'NULL',
    gives: instead(['""', 'null']),
    cases: ['fn-regexp', 'fn-paths', 'dialect.string.010'],
  },
  {
    statement: "SELECT LENGTH(b'a')",
    theirs: "No function matches 'length(BLOB)'",
    right: 'the number of bytes: 1',
    says: /'length\(BLOB\)'/,
  },
  {
    statement: "SELECT BIGNUMERIC '123456789012345678901234567890.5'",
    theirs: 'Could not convert string to DECIMAL(38,9)',
    right: 'it has up to 38 digits before the point',
    says: /Could not convert string "\d{30}\.5" to DECIMAL\(38,9\)/,
  },
  {
    statement: "SELECT NUMERIC '1' / 3",
    theirs: '0.3333333333333333, a FLOAT64',
    right: '0.333333333, a NUMERIC',
    gives: instead(['"0.3333333333333333"', '"0.333333333"']),
  },
  {
    statement: 'SELECT LOG(8, 2)',
    theirs: '0.333: the base is the first',
    right: 'the base is the second: 3.0',
    gives: instead(['0.5', '2'], ['0.33333333333333337', '3']),
  },
  {
    statement: 'SELECT SAFE_NEGATE(-9223372036854775808)',
    theirs: '9223372036854775808',
    right: 'NULL, since it overflows',
    gives: instead(['"9223372036854775808"', 'null']),
  },
  {
    statement: 'SELECT 1 / 0',
    theirs: 'Infinity',
    right: 'an error',
    gives: insteadOfError('"Infinity"'),
  },
  {
    statement: 'SELECT ARRAY_AGG(x IGNORE NULLS ORDER BY x) FROM (SELECT 1 AS x)',
    theirs: 'syntax error at or near "ORDER"',
    right: '[1]',
    says: /near "ORDER".*ARRAY_AGG\([^)]* IGNORE NULLS ORDER BY/s,
  },
  {
    statement: "SELECT STRING_AGG(x, ',' ORDER BY x LIMIT 2) FROM (SELECT 'a' AS x)",
    theirs: 'syntax error at or near "LIMIT"',
    right: 'a',
    says: /near "LIMIT".*string_agg\([^)]* ORDER BY [^)]*LIMIT/s,
  },
  {
    statement: 'SELECT ANY_VALUE(x HAVING MAX x) FROM (SELECT 1 AS x)',
    theirs: 'syntax error at or near "HAVING"',
    right: '1',
    says: /near "HAVING".*ANY_VALUE\([^)]* HAVING MAX/s,
  },
  {
    statement: 'SELECT LN(0)',
    theirs: "an error `invalid` with DuckDB's message",
    right: '`invalidQuery`: `invalid` is for input other than a query',
    fails:
      /^(Out of Range Error: (Overflow in addition of INT64|cannot take )|Invalid Input Error: missing [)\]]|Conversion Error: (Could not convert string '\w+' to INT64|Type DOUBLE with value|date field value|Date out of range|Malformed JSON))/,
  },
];

/** Numbers of microseconds, or texts with six digits of a second. */
function cutToMilliseconds({ ours, theirs }: Differing) {
  const micros = /^"(-?\d+)"$/.exec(ours)?.[1];
  if (micros !== undefined) return `"${(BigInt(micros) / 1000n) * 1000n}"` === theirs;
  return /T.*\.\d{6}"$/.test(ours) && `${ours.slice(0, -4)}000"` === theirs;
}
