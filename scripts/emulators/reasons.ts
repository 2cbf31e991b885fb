import type { EmulatorName } from './install.js';
import { instead, insteadOfError, type Reason } from './reason.js';
import { reasonsOfBigqueryEmulator } from './reasons-bigquery-emulator.js';
import { reasonsOfBigqueryLocal } from './reasons-bigquery-local.js';
import { reasonsOfBqemulator } from './reasons-bqemulator.js';

/** The reasons of all emulators. */
const ofAll: readonly Reason[] = [
  {
    statement: String.raw`SELECT '100%' LIKE '100\\%'`,
    theirs: 'false',
    right: 'a backslash escapes the character after it: true',
    gives: instead(['[]', '[{"hint":"Check pg_hba.conf; 100% certain_"}]']),
  },
  {
    statement:
      "SELECT TIMESTAMP_DIFF(TIMESTAMP '2026-03-02 01:00:00', TIMESTAMP '2026-03-01 23:00:00', DAY)",
    theirs: '1',
    right: 'the number of whole days: 0',
    gives: instead(['"8"', '"7"'], ['"20"', '"19"']),
    cases: ['ti-diff', 'ti-lag-gap'],
  },
  {
    statement: "SELECT FORMAT('%t', CAST(NULL AS STRING))",
    theirs: 'NULL',
    right: 'the text NULL',
    gives: instead(['null', '"NULL"']),
    cases: ['dialect.string.024'],
  },
  {
    statement: 'SELECT GENERATE_ARRAY(1, 5, 0)',
    theirs: 'NULL, or an empty array',
    right: 'a step of 0 is an error',
    gives: insteadOfError('null'),
    cases: ['dialect.array.043'],
  },
];

/** The reasons of those that translate GoogleSQL for DuckDB. */
const ofDuckDb: readonly Reason[] = [
  {
    statement: "SELECT TIMESTAMP_TRUNC(TIMESTAMP '2026-03-11', WEEK)",
    theirs: 'Monday, 9 March',
    right: 'a week begins on Sunday: 8 March',
    gives: instead(
      ['"1772409600000000"', '"1772323200000000"'],
      ['"1773014400000000"', '"1772928000000000"'],
      ['"2026-03-09T00:00:00"', '"2026-03-08T00:00:00"'],
    ),
  },
  {
    statement: "SELECT TIMESTAMP_TRUNC(TIMESTAMP '2026-03-11', WEEK(MONDAY))",
    theirs: 'the column MONDAY, or the part "week(monday)", is not known',
    right: '9 March',
    says: /Referenced column "MONDAY"|extract specifier "week\(monday\)" not recognized/,
  },
  {
    statement: "SELECT (SELECT x FROM (SELECT CONCAT(x, 'b') AS x)) FROM (SELECT 'a' AS x)",
    theirs: 'Column "x" cannot be referenced before it is defined',
    right: 'the argument of CONCAT is the x of the query around it: ab',
    says: /Column "x" referenced that exists in the SELECT clause/,
  },
  {
    statement: "SELECT UNIX_SECONDS(TIMESTAMP '1970-01-01 00:00:00.9')",
    theirs: '1',
    right: 'rounds down: 0',
    gives: instead(['"1773142260"', '"1773142259"'], ['"1773142260000000"', '"1773142259000000"']),
  },
  {
    statement: "SELECT TIME(t) FROM (SELECT TIMESTAMP '2026-03-10 12:00:00+00' AS t)",
    theirs: 'Unimplemented type for cast',
    right: '12:00:00',
    says: /Unimplemented type for cast \(TIMESTAMP WITH TIME ZONE -> TIME\)/,
  },
  {
    statement: "SELECT EXTRACT(TIME FROM TIMESTAMP '2026-03-10 12:00:00+00')",
    theirs: 'syntax error',
    right: '12:00:00',
    says: /near "TIME".*EXTRACT\(TIME FROM/s,
  },
  {
    statement: "SELECT EXTRACT(WEEK(MONDAY) FROM DATE '2026-01-05')",
    theirs: 'syntax error',
    right: '1',
    says: /near "\(".*EXTRACT\(WEEK\(MONDAY\)/s,
  },
  {
    statement: "SELECT EXTRACT(MILLISECOND FROM TIMESTAMP '2026-03-11 15:47:38.123')",
    theirs: '38123',
    right: '123',
    gives: instead(['"38123"', '"123"'], ['"38123456"', '"123456"']),
  },
  {
    statement: 'SELECT CAST(2.5 AS INT64)',
    theirs: '2',
    right: 'halves are rounded away from zero: 3',
    gives: instead(['"2"', '"3"']),
    cases: ['ca-many'],
  },
  {
    statement: "SELECT SAFE_CAST('12.5' AS INT64)",
    theirs: '13',
    right: 'a text with a fraction is no INT64: NULL',
    gives: instead(['"13"', 'null']),
  },
  {
    statement: "SELECT CAST(DATE '2026-03-10' AS STRING FORMAT 'YYYY/MM/DD')",
    theirs: 'syntax error at or near "FORMAT"',
    right: '2026/03/10',
    says: /near "FORMAT"/,
  },
  {
    statement: "SELECT CAST(DATETIME '2026-03-10 12:00:00.25' AS STRING)",
    theirs: '2026-03-10 12:00:00.25',
    right: 'three or six digits of a second: .250',
    gives: instead(['"2026-03-10 12:00:00.25"', '"2026-03-10 12:00:00.250"']),
  },
  {
    statement: 'SELECT CAST(INTERVAL 26 HOUR AS STRING)',
    theirs: '26:00:00',
    right: '0-0 0 26:0:0',
    gives: instead(['"26:00:00"', '"0-0 0 26:0:0"']),
  },
  {
    statement: "SELECT CAST(NUMERIC '3.0' AS STRING)",
    theirs: '3.000000000',
    right: 'no zeros at the end: 3',
    gives: ({ ours, theirs }) =>
      /^"-?\d+\.\d*0"$/.test(theirs) && theirs.replace(/\.?0+"$/, '"') === ours,
  },
  {
    statement: 'SELECT 2147483647 + 1',
    theirs: 'Overflow in addition of INT32',
    right: '2147483648: an integer has 64 bits',
    says: /Overflow in addition of INT32/,
  },
  {
    statement: 'SELECT 4 | 1 & 2',
    theirs: '0',
    right: '& binds more tightly than |: 4',
    gives: instead(['"0"', '"4"']),
    cases: ['dialect.lexical.013'],
  },
  {
    statement: "SELECT CAST('é' AS BYTES)",
    theirs: 'Invalid byte encountered in STRING -> BLOB conversion',
    right: 'its bytes in UTF-8',
    says: /Invalid byte encountered in STRING -> BLOB conversion/,
  },
  {
    statement: "SELECT SUBSTR('apple', 0, 2)",
    theirs: 'a',
    right: 'position 0 is as 1: ap',
    gives: instead(['"a"', '"ap"']),
  },
  {
    statement: 'SELECT GENERATE_ARRAY(1.0, 2.0, 0.5)',
    theirs: "No function matches 'generate_series(DOUBLE, DOUBLE, DOUBLE)'",
    right: '[1.0, 1.5, 2.0]',
    says: /'generate_series\(DOUBLE, DOUBLE, DOUBLE\)'/,
  },
  {
    statement: "SELECT STRUCT<INT64, STRING>(1, 'a') = STRUCT<INT64, STRING>(1, 'a')",
    theirs: 'syntax error',
    right: 'true',
    says: /near "[,=]".*STRUCT[<(]BIGINT, (STRING|TEXT)/s,
  },
  {
    statement: "SELECT JSON_VALUE('free text', '$.a')",
    theirs: 'Malformed JSON',
    right: 'NULL',
    says: /Malformed JSON at byte 0 of input/,
  },
  {
    statement: `SELECT JSON_TYPE(JSON '"s"')`,
    theirs: 'varchar',
    right: 'string',
    gives: instead(['"varchar"', '"string"']),
  },
];

/** The differences that were looked at, by emulator. */
export const reasons: Readonly<Record<EmulatorName, readonly Reason[]>> = {
  bqemulator: [...ofAll, ...ofDuckDb, ...reasonsOfBqemulator],
  'bigquery-local': [...ofAll, ...ofDuckDb, ...reasonsOfBigqueryLocal],
  'bigquery-emulator': [...ofAll, ...reasonsOfBigqueryEmulator],
};
