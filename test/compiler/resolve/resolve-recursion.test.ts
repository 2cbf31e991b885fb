import { expect, test } from 'vitest';
import { faultOf } from '../../support/refused-query.js';

// A recursive CTE of a form that BigQuery refuses is refused with a message that names the CTE and the fault.

const recursive = 'A query that reads the recursive CTE t in its recursive term cannot have';

test.each([
  [
    'with recursive t as (select * from t) select 1',
    'A CTE that reads itself must be a UNION ALL of a base term and a recursive term: t AS (SELECT … UNION ALL SELECT … FROM t …) at [1:36]',
  ],
  [
    'with recursive t as (select 1 as n except distinct select n from t) select 1',
    'A CTE that reads itself must be a UNION ALL of a base term and a recursive term: t AS (SELECT … UNION ALL SELECT … FROM t …) at [1:66]',
  ],
  [
    'with recursive t as (select 1 as n union distinct select n from t) select 1',
    'UNION DISTINCT is not allowed inside WITH RECURSIVE: use UNION ALL at [1:22]',
  ],
  [
    'with recursive t as ((select * from t) union all (select 1)) select 1',
    'The base term of the recursive CTE t cannot read t: only the term after the last UNION ALL can at [1:37]',
  ],
  [
    'with recursive t as (select 1 as n union all ((select * from t) union all (select * from t))) select 1',
    'The recursive term of t must read t exactly once at [1:90]',
  ],
  [
    'with recursive t as (select 1 as n union all (select n from t) order by n) select 1',
    'The recursive CTE t cannot have ORDER BY or LIMIT: write them in the query that reads it at [1:73]',
  ],
  [
    'with recursive t as (select 1 as n union all select (select n from t)) select 1',
    'The recursive term of t must read t in its FROM clause, not in a subquery of an expression at [1:46]',
  ],
  [
    'with recursive u as (select 1 as n), t as (select 1 as n union all select t.n from t full join u using (n)) select 1',
    `${recursive} it on the side of a FULL JOIN that may have no match at [1:68]`,
  ],
  [
    'with recursive u as (select 1 as n), t as (select 1 as n union all select t.n from u left join t using (n)) select 1',
    `${recursive} it on the side of a LEFT JOIN that may have no match at [1:68]`,
  ],
  [
    'with recursive t as (select 1 as n union all select count(*) from t) select 1',
    `${recursive} GROUP BY or aggregate functions at [1:46]`,
  ],
  [
    'with recursive t as (select 1 as n union all select n from (select distinct n from t)) select 1',
    `${recursive} DISTINCT at [1:61]`,
  ],
  [
    'with recursive t as (select 1 as n union all select row_number() over () from t) select 1',
    `${recursive} window functions at [1:46]`,
  ],
  [
    'with recursive t as (select 1 as n union all (select n from t limit 3)) select 1',
    `${recursive} LIMIT at [1:47]`,
  ],
  [
    'with recursive t as (select 1 as n union all (select n + 1 from t order by n)) select 1',
    `${recursive} ORDER BY at [1:47]`,
  ],
  [
    'with recursive t as (select 1 as n union all ((select n from t) union all (select 2))) select 1',
    `${recursive} a set operation at [1:47]`,
  ],
  [
    'with recursive t as (select 1 as n union all (with u as (select n from t) select * from u)) select 1',
    'WITH is not allowed inside WITH RECURSIVE at [1:47]',
  ],
  [
    'with recursive a as (select * from b), b as (select * from a) select 1',
    'The CTEs of WITH RECURSIVE read each other in a cycle through a: a CTE can read itself, but not through another one at [1:60]',
  ],
  [
    'select * from (with recursive t as (select 1 as n union all select n from t) select * from t)',
    'WITH RECURSIVE is only allowed at the top level of a query at [1:21]',
  ],
  [
    'with recursive t as (select 1 as n union all select n + 0.5 from t) select 1',
    'Column 1 of the recursive term of t has type FLOAT64, which does not convert to INT64, its type in the base term: CAST one of them at [1:46]',
  ],
  [
    'with recursive t as (select 1 as n union all select n, 2 from t) select 1',
    'The recursive term of t has 2 column(s), but its base term has 1 at [1:46]',
  ],
  [
    'with recursive t as (select 1 as n union all select as value n from t) select 1',
    'Both terms of t must use SELECT AS STRUCT or AS VALUE, or none of them at [1:46]',
  ],
  [
    'with recursive t as (select 1 as n union all select n from t), T as (select 1) select 1',
    'Duplicate alias T for WITH subquery at [1:64]',
  ],
])('%s', (text, message) => {
  expect(faultOf(text)).toMatchObject({ reason: 'invalidQuery', message });
});

test('a CTE that reads itself without RECURSIVE gets a hint', () => {
  const text = 'with t as (select 1 as n union all select n from t) select 1';
  const message =
    'Table not found: t; a CTE that reads itself needs WITH RECURSIVE (the tables are web) at [1:50]';
  expect(faultOf(text)).toMatchObject({ reason: 'accessDenied', message });
});
