import { expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { printGoogleSql } from '../../../src/compiler/syntax/print-googlesql.js';
import { parse } from '../../../src/compiler/syntax/syntax.js';
import { cpuMsOf } from '../../support/cpu-time.js';
import { expectSame } from '../../support/round-trip.js';
import { webSource } from '../../support/web-source.js';

// Printing a tree and parsing the text gives the same tree.

// Brackets, backticks, blanks and escapes without which the text would mean something else.
test.each([
  ['a + b.*', '(a + b).*'],
  ['(1).*', '(1).*'],
  ['(a).b.c, a[0].b, f(x).y, (1.).x', '(a).b.c, a[0].b, f(x).y, (1.).x'],
  ['- -1, -(-(x)), -~1', '- -1, - -x, -~1'],
  ['a or b and c or (d or e)', 'a OR b AND c OR (d OR e)'],
  ['(a or b) and (c and d), (not a) is null', '(a OR b) AND (c AND d), (NOT a) IS NULL'],
  ['(a = b) is null, a = (b = c)', '(a = b) IS NULL, a = (b = c)'],
  ['a - (b - c), a - b - c, (a | b) ^ c', 'a - (b - c), a - b - c, (a | b) ^ c'],
  ["a not like any ('x', 'y')", "NOT a LIKE ALL ('x', 'y')"],
  ['x between (a = b) and 3 and y', 'x BETWEEN (a = b) AND 3 AND y'],
  ['interval -1 day, (interval 1 day).x', 'INTERVAL (-1) DAY, (INTERVAL 1 DAY).x'],
  ['`a\\`b`, `select`, t.select, x as `a b`', '`a\\`b`, `select`, t.select, x AS `a b`'],
  ["'it\\'s \\\\ \\x00', b'\\xff\\'', r'\\d'", "'it\\'s \\\\ \\x00', b'\\xff\\x27', '\\\\d'"],
  ['array<struct<a int64, string>>[(1, 2)]', 'ARRAY<STRUCT<a INT64, STRING>>[(1, 2)]'],
  [
    "range < date>'[a, b)', array<range<timestamp>>[], range(a, b)",
    "RANGE<DATE> '[a, b)', ARRAY<RANGE<TIMESTAMP>>[], range(a, b)",
  ],
  ['struct<>(), array<struct< > >[]', 'STRUCT<>(), ARRAY<STRUCT<>>[]'],
  ['f(x -> x), f((x, y) -> x, n => 1)', 'f(x -> x), f((x, y) -> x, n => 1)'],
  [
    'f(distinct x ignore nulls order by y desc limit 1)',
    'f(DISTINCT x IGNORE NULLS ORDER BY y DESC LIMIT 1)',
  ],
  ['f() over (w), f() over (w order by x)', 'f() OVER w, f() OVER (w ORDER BY x)'],
  ['1 from (a, b) full join c on x', '1\nFROM (a, b)\nFULL JOIN c ON x'],
  ['1 from a join (b join c) using (k)', '1\nFROM a\nINNER JOIN (b\nINNER JOIN c) USING (k)'],
  ['1 from t group by rollup((a, b), ())', '1\nFROM t\nGROUP BY ROLLUP((a, b), ())'],
])('%s', (text, printed) => {
  const tree = parse(`select ${text}`);
  expect(printGoogleSql(tree)).toBe(`SELECT ${printed}`);
  expectSame(tree);
});

test.each([
  "select * from t as u pivot (sum(n) as s for upper(c) in ('', 'a b', 'x' as y)) as p",
  'select * from t unpivot (v for k in (a, b))',
  'select 1 as a union all by name select 2 as a union all by name select 3 as a',
  'select 1 as a full outer union distinct corresponding by (a, b) select 2 as a',
  '(select 1 union all (select 2)) intersect distinct (select 3 limit 1) limit 2 offset 1',
  '((select 1))',
  'select ((select 1) union all (select 2) limit 1), ((select 1)), ((select 1) + 1)',
  'select 1 in ((select 1) union all select 2), 1 in ((select 1)), 1 in ((select 1), 2)',
  'select * from ((select 1)), ((select 1) union all (select 2)) u, ((select 1) v join w on true)',
  'with a as (select 1), `b c` as ((select 2) union all select 3), select * from a, `b c`',
])('%s', (text) => expectSame(parse(text)));

test('long nested brackets are refused quickly', () => {
  const text = `select ${'('.repeat(57)}1${',1'.repeat(50_000)}${') union '.repeat(57)}`;
  expect(cpuMsOf(() => expect(() => parse(text)).toThrow('Syntax error'))).toBeLessThan(2_000);
});

test('explain shows the printed query after the tree', () => {
  const sql = 'select id from `logs.web` limit 1';
  const { stages } = createCompiler([webSource('struct')]).explain({
    ...{ name: 'web', sql, maxRows: 1, parameters: [] },
  });
  expect(stages.find(({ title }) => title === 'as GoogleSQL')).toEqual({
    name: 'parse',
    title: 'as GoogleSQL',
    text: 'SELECT id\nFROM `logs.web`\nLIMIT 1',
  });
});
