import { expect, test } from 'vitest';
import { messageOf } from '../support/refused-query.js';

// Faults of PIVOT, UNPIVOT, set operations by name, pipe syntax, WITH expressions and sub-selects in ON.
test.each([
  ['select with(1 + 1)', 'Syntax error: Expected a variable but got integer literal "1" at [1:13]'],
  ['select with(a as 1)', 'Syntax error: Expected "," but got ")" at [1:19]'],
  ['select with(a as 1, A as 2, a)', 'Duplicate variable A in WITH at [1:21]'],
  ['select with(a as b, b as 1, a)', 'Unrecognized name: b at [1:18]'],
  ['select with(a as 1, sum(a)) from web', /^Unrecognized name: a.* at \[1:25\]$/],
  [
    "select 1 from gap_fill(table web, ts_column => 'timestmp', bucket_width => interval 1 day)",
    'GAP_FILL finds no column timestmp; did you mean timestamp? at [1:48]',
  ],
  [
    "select 1 from gap_fill(table web, ts_column => 'id', bucket_width => interval 1 day)",
    'The argument ts_column of GAP_FILL must be a DATE, DATETIME or TIMESTAMP at [1:48]',
  ],
  [
    "select 1 from gap_fill(table web, 'timestamp')",
    'GAP_FILL needs the argument bucket_width at [1:15]',
  ],
  [
    "select 1 from gap_fill(table web, 'timestamp', interval 1 day, width => 1)",
    'GAP_FILL has no argument width at [1:64]',
  ],
  [
    "select 1 from gap_fill(table web, 'timestamp', interval 1 day, origin => first)",
    'Unrecognized name: first at [1:74]',
  ],
  [
    "select 1 from gap_fill(table web, 'timestamp', interval 1 day, origin => (select max(timestamp) from web))",
    /^Table not found: web/,
  ],
  [
    "select 1 from gap_fill(table web, 'timestamp', interval 1 day, origin => null)",
    'The argument origin of GAP_FILL must be a constant TIMESTAMP at [1:74]',
  ],
  [
    "select 1 from gap_fill(table web, 'timestamp', interval 1 month)",
    'The argument bucket_width of GAP_FILL must be INTERVAL n part, with one of MICROSECOND, MILLISECOND, SECOND, MINUTE, HOUR, DAY at [1:48]',
  ],
  [
    "select 1 from gap_fill((select date(timestamp) as d from web), 'd', interval 1 hour)",
    'The argument bucket_width of GAP_FILL must be INTERVAL n part, with one of DAY, WEEK, MONTH, QUARTER, YEAR at [1:69]',
  ],
  [
    "select 1 from gap_fill(table web, 'timestamp', interval 1 day, ignore_null_values => 1)",
    'The argument ignore_null_values of GAP_FILL must be TRUE or FALSE at [1:86]',
  ],
  [
    "select 1 from gap_fill(table web, 'timestamp', interval 1 day, ['timestamp'])",
    'GAP_FILL takes each column once at [1:15]',
  ],
  [
    "select 1 from gap_fill(table web, 'timestamp', interval 1 day, ts_column => 'id')",
    'GAP_FILL has an argument twice at [1:15]',
  ],
  [
    "select 1 from gap_fill((select timestamp, 1 from web), 'timestamp', interval 1 day)",
    'GAP_FILL needs a name for each column of its table at [1:15]',
  ],
  ["select 1 from gap_fill(table web, 'timestamp', interval 1 day, ['metadata'])", /at \[1:15\]$/],
  [
    "select 1 from gap_fill(table web, 'timestamp', interval 1 day, value_columns => [('id', 'linear')])",
    'The argument value_columns of GAP_FILL must be pairs of a column and one of null, locf, linear, linear for numbers only at [1:82]',
  ],
  ["select 1 from gap_fill(table other, 'a')", /^Table not found: other/],
  [
    'select w.id from web w left join web v on w.id in (select id from web where id < v.id)',
    'A subquery in the ON clause of an outer join that reads columns of both of its sides is not supported at [1:24]',
  ],
  [
    'select w.id from web w left join unnest(w.items) i on i.name in (select id from web)',
    'Unsupported subquery with table in join predicate at [1:24]',
  ],
  [
    'select 1 as a, 10 as b union all by name select 20 as b',
    /^Column a is not in every query of the set operation BY NAME: FULL or LEFT fills it/,
  ],
  [
    'select 1 as a union all by name select 20 as b, 1 as a',
    /^Column b is not in every query of the set operation BY NAME/,
  ],
  [
    'select 1 as a left union all by name select 20 as b',
    'Queries in UNION BY NAME have no column in common at [1:1]',
  ],
  [
    'select 1 as a, 2 as a union all corresponding select 20 as a',
    'A query of a set operation BY NAME has two columns a at [1:1]',
  ],
  [
    'select 1 as a full union all select 2 as b',
    'FULL before a set operator requires BY NAME or CORRESPONDING at [1:30]',
  ],
  [
    'select * from (select id, project from web) pivot (upper(id) for project in (1))',
    'PIVOT expression must be an aggregate function call at [1:52]',
  ],
  [
    'select * from (select id, project from web) pivot (safe.count(id) for project in (1))',
    'PIVOT expression must be an aggregate function call at [1:52]',
  ],
  [
    'select * from (select id, project from web) pivot (row_number() over () for project in (1))',
    'PIVOT expression must be an aggregate function call at [1:52]',
  ],
  [
    'select * from (select id, project from web) pivot (sum(*) for project in (1))',
    'Argument * can only be used in COUNT(*) at [1:52]',
  ],
  [
    "select * from (select id, project from web) pivot (max_by(id, id) for project in ('a'))",
    'PIVOT allows only aggregate functions of one argument, not this call of MAX_BY at [1:52]',
  ],
  [
    "select * from (select id, project from web) pivot (any_value(id having max id) for project in ('a'))",
    'HAVING MAX is not allowed in an aggregate function of PIVOT at [1:52]',
  ],
  [
    "select * from (select id, project from web) pivot (array_agg(id) for project in ('a'))",
    'PIVOT allows only functions that ignore NULL: write ARRAY_AGG(… IGNORE NULLS) at [1:52]',
  ],
  [
    "select * from (select id, project from web) pivot (max(id) as a, min(id) for project in ('a'))",
    /^PIVOT expression must specify an alias unless it is the only/,
  ],
  [
    "select * from (select id, 'a' as p from web) pivot (max(id) for p in (1))",
    'PIVOT IN list item must be type STRING to match the PIVOT FOR expression; found INT64 at [1:71]',
  ],
  [
    'select * from (select id, 1.5 as x from web) pivot (max(id) for x in (1.5))',
    'PIVOT values of type FLOAT64 must specify an alias at [1:71]',
  ],
  [
    "select * from (select id, project from web) pivot (max(id) for project in (concat('a', 'b')))",
    /^Generating an implicit alias for this PIVOT value is not supported/,
  ],
  [
    'select * from (select id, project from web) pivot (max(id) for project in ((select "a") as a))',
    'IN expression in PIVOT clause must be constant at [1:76]',
  ],
  [
    "select * from (select as struct id, project from web) pivot (max(id) for project in ('a'))",
    'PIVOT is not allowed on value tables at [1:55]',
  ],
  [
    "select * from unnest([struct(1 as a, 'x' as b)]) pivot (max(a) for b in ('x'))",
    'PIVOT is not allowed on UNNEST: put them into a subquery at [1:50]',
  ],
  [
    "select * from (web cross join web as b) pivot (max(id) for project in ('x'))",
    'PIVOT is not allowed on joins in brackets: put them into a subquery at [1:41]',
  ],
  [
    'select * from (select 1 as a, 2 as b) unpivot ((x, y) for z in (a, b))',
    'UNPIVOT expects 2 column(s) in each group here, but got 1 at [1:65]',
  ],
  [
    'select * from (select 1 as a, 2 as b) unpivot ((x, y) for z in ((a, b), (b, A)))',
    'Column names in UNPIVOT IN clause cannot be repeated: b at [1:74]',
  ],
  [
    'select 1 = 1 is true',
    'Syntax error: Unexpected keyword IS: put the comparison before it into brackets at [1:14]',
  ],
  [
    'from web |> select count(*)',
    'Aggregate function COUNT not allowed in this operator: use |> AGGREGATE at [1:20]',
  ],
  [
    'from web |> extend sum(1) as s',
    'Aggregate function SUM not allowed in this operator: use |> AGGREGATE at [1:20]',
  ],
  ['from web |> aggregate id', /^Expression references column id which is neither grouped/],
  [
    'from web |> aggregate row_number() over ()',
    'Window functions are not allowed in |> AGGREGATE: use |> EXTEND at [1:23]',
  ],
  ['from web |> call f(1)', 'The pipe operator CALL is not supported at [1:13]'],
  ['from web |> tablesample system (1 percent)', /^The pipe operator TABLESAMPLE is not supported/],
  ['from web |> group by id', 'Syntax error: Unexpected keyword GROUP at [1:13]'],
  ['from web |> set nope = 1', 'Column nope does not exist at [1:17]'],
  ['from web as a join web as b on true |> set id = "x"', /^Column name id is ambiguous/],
  ['from web as w |> drop id |> select id', /^Unrecognized name: id/],
  ['from web as w |> drop id |> distinct |> select w.id', /^(Field|Column|Unrecognized)/],
  ['from web as w |> aggregate count(*) as n |> select w.id', /^Unrecognized name: w/],
  ['from web |> select id |> where project is null', /^Unrecognized name: project/],
  ['from web as w |> as v |> select w.id', /^Unrecognized name: w/],
  ['from web |> where id', 'WHERE clause should return type BOOL, but returns STRING at [1:19]'],
  ['from web |> where id |> join web as b using (id)', /^WHERE clause should return type BOOL/],
])('%s', (text, message) => {
  const expected = message instanceof RegExp ? expect.stringMatching(message) : message;
  expect(messageOf(text)).toEqual(expected);
});
