import { describe, expect, test } from 'vitest';
import { cpuMsOf } from '../support/cpu-time.js';
import { compiler, faultOf, stored } from '../support/refused-query.js';

describe('a faulty query is refused with the message of BigQuery and its position', () => {
  test.each([
    ['selec id from web', 'Syntax error: Unexpected identifier "selec" at [1:1]'],
    ['', 'Syntax error: Unexpected end of statement at [1:1]'],
    ['select id from web where', 'Syntax error: Unexpected end of statement at [1:25]'],
    [
      'select id\nfrom web wher id = 1',
      'Syntax error: Expected end of input but got identifier "id" at [2:15]',
    ],
    ["select 'open", 'Syntax error: Unclosed string literal at [1:8]'],
    ['select 1 a order by a', 'Query without FROM clause cannot have an ORDER BY clause at [1:21]'],
    ['select 1 a where true', 'Query without FROM clause cannot have a WHERE clause at [1:18]'],
    ['select 1 a group by a', 'Query without FROM clause cannot have a GROUP BY clause at [1:12]'],
    ['select 1 a having true', 'Query without FROM clause cannot have a HAVING clause at [1:19]'],
    ['select distinct 1', 'Query without FROM clause cannot use SELECT DISTINCT at [1:1]'],
    [
      'select 1 a qualify row_number() over () = 1',
      'Query without FROM clause cannot have a QUALIFY clause at [1:20]',
    ],
    ["select '\\q'", 'Syntax error: Illegal escape sequence: \\q at [1:8]'],
    ['select /* open', 'Syntax error: Unclosed comment at [1:8]'],
    ['select 1a', 'Syntax error: Missing whitespace between literal and alias at [1:9]'],
    ['select 9223372036854775808', 'Invalid integer literal: 9223372036854775808 at [1:8]'],
    ['select idd from web', 'Unrecognized name: idd; did you mean id? at [1:8]'],
    ['select nothing_like_it from web', 'Unrecognized name: nothing_like_it at [1:8]'],
    [
      'select w.idd from web w',
      /^Field name idd does not exist in STRUCT<.*did you mean id\? at \[1:10\]$/,
    ],
    [
      'select m.levl from web, unnest(metadata) m',
      /^Field name levl does not exist in STRUCT<.*level\? at \[1:10\]$/,
    ],
    [
      'select metadata.level from web',
      /^Cannot access field level on a value with type ARRAY<STRUCT<.* at \[1:17\]$/,
    ],
    ['select id from web a, web b', 'Column name id is ambiguous at [1:8]'],
    [
      'select count(*) over (order by id range between 1 preceding and current row) from web',
      'The ORDER BY key of a RANGE window frame must be a number at [1:22]',
    ],
    [
      'select count(*) over (order by 1, 2 range 1 preceding) from web',
      'A RANGE window frame with offsets needs exactly one ORDER BY key at [1:22]',
    ],
    [
      'select count(*) over (order by 1 rows between 1 following and 1 preceding) from web',
      'A window frame cannot start at FOLLOWING and end at PRECEDING at [1:22]',
    ],
    [
      'select count(*) over (order by 1 range between current row and 1 preceding) from web',
      'A window frame cannot start at CURRENT ROW and end at PRECEDING at [1:22]',
    ],
    [
      'select count(*) over (order by 1 rows 1 following) from web',
      'A window frame cannot start at FOLLOWING and end at CURRENT ROW at [1:22]',
    ],
    [
      'select count(*) over (order by 1 rows unbounded following) from web',
      'A window frame cannot start at UNBOUNDED FOLLOWING and end at CURRENT ROW at [1:22]',
    ],
    [
      'select count(*) over (order by 1 rows between unbounded following and unbounded following) from web',
      'A window frame cannot start at UNBOUNDED FOLLOWING and end at UNBOUNDED FOLLOWING at [1:22]',
    ],
    [
      'select count(*) over (order by 1 rows between unbounded preceding and unbounded preceding) from web',
      'A window frame cannot start at UNBOUNDED PRECEDING and end at UNBOUNDED PRECEDING at [1:22]',
    ],
    [
      'select count(*) over (order by 1 rows -1 preceding) from web',
      'A window frame takes a non-negative integer, as in 5 PRECEDING at [1:39]',
    ],
    [
      'select count(*) over (order by 1 rows 2.5 preceding) from web',
      'A window frame takes a non-negative integer, as in 5 PRECEDING at [1:39]',
    ],
    [
      'select count(*) over (order by 1 rows null preceding) from web',
      'A window frame takes a non-negative integer, as in 5 PRECEDING at [1:39]',
    ],
    [
      'select count(*) over (order by 1 range -0.5 preceding) from web',
      'A window frame takes a non-negative number, as in 5 PRECEDING at [1:40]',
    ],
    [
      'from web |> select id |> drop id',
      '|> DROP removes all columns: keep at least one at [1:26]',
    ],
    [
      'from (select 1 a, 2 b) |> drop a, b |> aggregate count(*)',
      '|> DROP removes all columns: keep at least one at [1:27]',
    ],
    [
      'select 1 from unnest([1]) a cross join unnest([1]) b on a = b',
      'ON clause cannot be used with CROSS JOIN at [1:29]',
    ],
    [
      'select * from (select 1 k) cross join (select 2 k) using (k)',
      'USING clause cannot be used with CROSS JOIN at [1:28]',
    ],
    [
      'from web |> cross join (select 1 id) using (id)',
      'USING clause cannot be used with CROSS JOIN at [1:13]',
    ],
    ['select 1 from web, web', 'Duplicate table alias web in the same FROM clause at [1:20]'],
    ['select struct(1 as a, 2 as A).a from web', 'Struct field name a is ambiguous at [1:31]'],
    ['select t.a from (select 1 as a, 2 as a) as t', 'Struct field name a is ambiguous at [1:10]'],
    ['select a from (select as struct 1 as a, 2 as a)', 'Column name a is ambiguous at [1:8]'],
    [
      'select sum(1) over (partition by tags) from web',
      'Partitioning by expressions of type ARRAY is not allowed at [1:34]',
    ],
    [
      'select sum(1) over (partition by (id, 1)) from web',
      'Partitioning by expressions of type STRUCT is not allowed at [1:34]',
    ],
    [
      'select [1] as a union distinct select [2]',
      'Column 1 in UNION DISTINCT has type that does not support set operation comparisons: ARRAY at [1:1]',
    ],
    ['select @{a = 1 from web', 'Syntax error: Expected "}" at the end of the hint at [1:24]'],
    [
      'select any_value(id having max tags) from web',
      'HAVING modifier does not support expressions of type ARRAY at [1:32]',
    ],
    [
      'select any_value(id having max id) over () from web',
      'HAVING modifier is not supported on analytic functions at [1:8]',
    ],
    [
      'select regexp_contain(id, id) from web',
      'Function not found: regexp_contain; did you mean regexp_contains? at [1:8]',
    ],
    ['select hll_count.init(id) from web', 'Function HLL_COUNT.INIT is not supported at [1:8]'],
    [
      'select lower(1)',
      'No matching signature for function LOWER for argument types: INT64. Supported signatures: LOWER(STRING); LOWER(BYTES) at [1:8]',
    ],
    [
      'select id from web where count(*) > 1',
      'Aggregate function COUNT not allowed in WHERE clause at [1:26]',
    ],
    ['select sum(count(*)) from web', 'Aggregations of aggregations are not allowed at [1:12]'],
    [
      "select m.status + '1' from web, unnest(metadata) m",
      /^No matching signature for operator \+ for argument types: INT64, STRING /,
    ],
    [
      'select id, count(*) from web',
      'Expression references column id which is neither grouped nor aggregated at [1:8]',
    ],
    [
      'select id from web where id',
      'WHERE clause should return type BOOL, but returns STRING at [1:26]',
    ],
    ['select id as x from web where x = id', 'Unrecognized name: x at [1:31]'],
    [
      "select id from web where timestamp > 'soon'",
      'Invalid TIMESTAMP string literal "soon" at [1:26]',
    ],
    [
      "select id from web, unnest(metadata) m where m.status = 'ok'",
      'Could not cast literal "ok" to type INT64 at [1:46]',
    ],
    [
      'select id from web as t for system_time as of current_timestamp()',
      'FOR SYSTEM_TIME is not supported at [1:25]',
    ],
    ['select 1 except all select 2', 'EXCEPT ALL is not supported at [1:17]'],
    ['select with differential_privacy 1', 'WITH in a SELECT list is not supported at [1:8]'],
    ['select 1 from web, lateral (select 1)', 'LATERAL is not supported at [1:20]'],
    ['select 1 from web natural join web', 'NATURAL is not supported at [1:19]'],
    ['select ?', 'Positional parameters are not supported at [1:8]'],
    ['select @@time_zone', 'System variables are not supported at [1:8]'],
    ["select count(*) from web group by 'a'", 'Cannot GROUP BY literal values at [1:35]'],
    [
      'select count(*) from web group by (), ()',
      'GROUP BY GROUPING SETS and GROUP BY () cannot have other items beside it: write all of them as one GROUPING SETS (…) at [1:35]',
    ],
    [
      'select id from web group by id, rollup(id)',
      'GROUP BY ROLLUP cannot have other items beside it: write all of them as one GROUPING SETS (…) at [1:33]',
    ],
    [
      'from web |> aggregate count(*) group by cube(id), id',
      'GROUP BY CUBE cannot have other items beside it: write all of them as one GROUPING SETS (…) at [1:41]',
    ],
    ['select count(*) from web group by -1', 'Cannot GROUP BY literal values at [1:35]'],
    ['select count(*) from web group by [1, 2]', 'Cannot GROUP BY literal values at [1:35]'],
    [
      "select count(*) from web group by date '2026-03-01'",
      'Cannot GROUP BY literal values at [1:35]',
    ],
    ['select id from web group by 0', 'GROUP BY is out of SELECT column number range: 0 at [1:29]'],
    [
      'select id as x, project as x from web group by x',
      'Name x in GROUP BY clause is ambiguous; it may refer to multiple columns in the SELECT-list at [1:48]',
    ],
    [
      'select 1 from (select id as x, project as x from web order by x limit 1)',
      'Column name x is ambiguous at [1:63]',
    ],
    [
      "select a, count(*) from (select struct(json '1' as j) as a) group by a",
      'Grouping by expressions of type STRUCT containing JSON is not allowed at [1:61]',
    ],
    [
      "select id, json '1' as j, 1 from (select distinct 'a' as id, json '1' from unnest([1]))",
      'Column 2 of type JSON cannot be used in SELECT DISTINCT at [1:62]',
    ],
    [
      "select count(distinct json '1')",
      'Aggregate functions with DISTINCT cannot be used with arguments of type JSON at [1:8]',
    ],
    [
      "select 1, json '1' union distinct select 1, json '1'",
      'Column 2 in UNION DISTINCT has type that does not support set operation comparisons: JSON at [1:1]',
    ],
    [
      'select row_number() over (partition by [0.5]) from web',
      'Partitioning by expressions of type ARRAY is not allowed at [1:40]',
    ],
    [
      'select row_number() over (order by metadata) from web',
      'ORDER BY does not support expressions of type ARRAY at [1:36]',
    ],
    [
      'select array_agg(id order by metadata) from web',
      'ORDER BY does not support expressions of type ARRAY at [1:30]',
    ],
    ['select [1] in (select [1])', 'IN is not defined for arguments of type ARRAY<INT64> at [1:8]'],
    [
      'select struct([1]) = struct([1])',
      'Equality is not defined for arguments of type STRUCT<ARRAY<INT64>> at [1:8]',
    ],
    [
      "select json '1' is distinct from json '2'",
      'IS DISTINCT FROM is not defined for arguments of type JSON at [1:8]',
    ],
    [
      'select (id, project).id from web',
      'Field name id does not exist in STRUCT<STRING, STRING> at [1:22]',
    ],
    ['select x from unnest([(1, 2)])', 'Unrecognized name: x at [1:8]'],
    ["select 1 = 'a'", /^No matching signature for operator = for argument types: INT64, STRING/],
    [
      'select timestamp_trunc(timestamp, fortnight) from web',
      /^TIMESTAMP_TRUNC does not support the FORTNIGHT date part; it takes MICROSECOND, .* at \[1:35\]$/,
    ],
    ['select @projec', "Query parameter 'projec' not found; did you mean project? at [1:8]"],
    [
      'select 1; select 2',
      'Only one statement is allowed: nothing may follow its semicolon at [1:11]',
    ],
    ["select ('a').upper()", 'Chained function calls are not supported at [1:14]'],
    [
      'select sum(1) over (w partition by id) from web window w as (order by id)',
      'PARTITION BY may not follow a named window: w at [1:21]',
    ],
    [
      'select sum(1) over (w order by id) from web window w as (order by id)',
      'The named window w has an ORDER BY already at [1:21]',
    ],
    [
      'select row_number() over () as n from web group by 1',
      'Column n contains an analytic function, which is not allowed in GROUP BY at [1:52]',
    ],
    [
      'select struct(1 as a, 2 as A) as s',
      'Duplicate column names in the result are not supported. Found duplicate(s): A at [1:1]',
    ],
    ['select id from web order by 2', 'ORDER BY is out of SELECT column number range: 2 at [1:29]'],
    [
      'select 1 as a from web qualify true',
      'The QUALIFY clause requires analytic function to be present at [1:32]',
    ],
    [
      'select * except (id) from (select id from web)',
      'SELECT * expands to zero columns after applying EXCEPT at [1:1]',
    ],
    [
      'select id from web limit -1',
      /^LIMIT and OFFSET expect a non-negative integer literal or parameter at \[1:26\]$/,
    ],
    [
      'select id from web union all select id, project from web',
      /^Queries in UNION have mismatched column count; query 1 has 1 column\(s\), query 2 has 2 column\(s\) at \[1:30\]$/,
    ],
    [
      'select id from web union all select timestamp from web',
      /^Column 1 in UNION has incompatible types: STRING, TIMESTAMP/,
    ],
    [
      'select w.id from web w left join web v',
      'LEFT JOIN must have an immediately following ON or USING clause at [1:24]',
    ],
    [
      'select w.id from web w right join unnest([w.id]) as x on true',
      'RIGHT JOIN cannot be correlated: its UNNEST cannot use the tables to its left; use LEFT JOIN or CROSS JOIN at [1:24]',
    ],
    ['select w.id from web w full join w.metadata on true', /^FULL JOIN cannot be correlated/],
    [
      'select w.id from web w full join unnest([1]) as x',
      'FULL JOIN must have an immediately following ON or USING clause at [1:24]',
    ],
    [
      'select 1 from web w left join (web v cross join unnest(w.metadata)) on true',
      /^Unrecognized name: w/,
    ],
    [
      'select w.id from web w join web v using (w)',
      'Name w in USING clause is a table alias, but a column name was expected at [1:42]',
    ],
    [
      "select w.id from web w join unnest(['a']) as x using (id)",
      /^Column id in USING clause not found on both sides of the join/,
    ],
    ['select * from web tablesample system (10 percent)', 'TABLESAMPLE is not supported at [1:19]'],
  ])('%s', (sql, message) => {
    const fault = faultOf(sql);
    expect(fault).toMatchObject({ reason: 'invalidQuery', location: 'sql' });
    expect(fault.message).toEqual(
      message instanceof RegExp ? expect.stringMatching(message) : message,
    );
  });

  test.each([
    [
      'select id from webb',
      /^Table not found: webb; did you mean web\? \(the tables are web\) at \[1:16\]$/,
    ],
    ['select id from `logs.web`', /^Table not found: logs\.web.*at \[1:16\]$/],
    ['select id from logs.web', /^Table not found: logs\.web/],
    ['select (select max(id) from `logs.web`)', /^Table not found/],
    ['select 1 from web w left join (web v, w.metadata) on true', /^Table not found: w\.metadata/],
    [
      "select id from read_csv('/etc/passwd')",
      /^Table-valued function not found: read_csv at \[1:16\]$/,
    ],
    ['select session_user()', 'Function session_user is not allowed at [1:8]'],
    ["select * from external_query('x', 'y')", /^Table-valued function not found/],
    ['drop table web', 'Only SELECT statements are allowed, not DROP at [1:1]'],
    ['pragma version', 'Only SELECT statements are allowed, not PRAGMA at [1:1]'],
  ])('%s: access denied', (sql, message) => {
    const fault = faultOf(sql);
    expect(fault.reason).toBe('accessDenied');
    expect(fault.message).toEqual(
      message instanceof RegExp ? expect.stringMatching(message) : message,
    );
  });

  test.each([
    ['brackets', `select ${'('.repeat(61)}1${')'.repeat(61)}`],
    ['signs', `select ${'- '.repeat(61)}1`],
    ['sub-selects', `select ${'(select '.repeat(61)}1${')'.repeat(61)}`],
    ['join groups', `select 1 from ${'('.repeat(61)}web${')'.repeat(61)}`],
    ['types', `select cast(null as ${'array<'.repeat(61)}int64${'>'.repeat(61)})`],
    ['brackets without an end', `select ${'('.repeat(60_000)}`],
  ])('deep nesting of %s is refused at once', (_, sql) => {
    const ask = () => expect(faultOf(sql).reason).toBe('resourcesExceeded');
    expect(cpuMsOf(ask)).toBeLessThan(2_000);
  });

  test('columns count characters, not bytes', () => {
    expect(faultOf("select '😀é', nam from web")).toMatchObject({ line: 1, column: 14 });
  });

  test('an error in a stored query does not name the parameter sql as its location', () => {
    const sql = 'select idd from `logs.web`';
    expect(() => compiler.compile({ ...stored, sql })).toThrow(
      'Unrecognized name: idd; did you mean id? at [1:8]',
    );
  });
});

test('records in the result nest at most 15 levels deep', () => {
  const nested = (levels: number) =>
    `select ${'struct('.repeat(levels)}1${' as a)'.repeat(levels)} as x`;
  compiler.compile(stored, { language: 'sql', text: nested(15) });
  expect(faultOf(nested(16))).toMatchObject({
    reason: 'resourcesExceeded',
    message: 'Records in the result are nested deeper than 15 levels at [1:1]',
  });
});
