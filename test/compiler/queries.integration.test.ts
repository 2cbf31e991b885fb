import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sample } from '../support/nightly.js';
import { root } from '../support/paths.js';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

async function rowsOf(sql: string): Promise<readonly (readonly unknown[])[]> {
  const rows = await runner.run(sql, { mayQuoteValues: true });
  return rows.map((row) => Object.values(row));
}

const iterations =
  'A recursive CTE has reached the maximum number of iterations: 500. Its recursive term must come to return no rows';

/** Queries over the source of `support/web-source.ts` and their rows, one file per subject. */
type Case = readonly [sql: string, rows: readonly (readonly unknown[])[]];

const folder = join(root, 'test/compiler/queries');
const subjects = readdirSync(folder).map((file) => ({
  file,
  cases: JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Case[],
}));

describe.each(subjects)('$file', ({ cases }) => {
  test.each(sample(cases, 4))('%s', async (sql, rows) => {
    expect(await rowsOf(sql)).toEqual(rows);
  });
});

test.each([
  [
    "select id from `logs.web` where id like '\\\\'",
    'LIKE pattern ends with a backslash at [1:33]',
  ],
  ['select safe_cast(cast(1 / 0 as string) as int64)', 'division by zero'],
  ['select [1, 2][2]', 'Array index 2 is out of bounds'],
  ['select (select x from unnest([1, 2]) as x)', 'Scalar subquery produced more than one element'],
  ["select cast('x' as int64)", 'Bad int64 value: x'],
  ["select cast(s as int64) from unnest(['1','x']) s", 'Bad int64 value: x'],
  ["select if(s = '1', 0, cast(s as int64)) from unnest(['1','x']) s", 'Bad int64 value: x'],
  ["select safe_cast(s as int64), cast(s as int64) from unnest(['1','x']) s", 'Bad int64 value: x'],
  [
    "select coalesce(safe_cast(s as int64), cast(s as int64)) from unnest(['1','x']) s",
    'Bad int64 value: x',
  ],
  ["select s from unnest(['1','x']) s where cast(s as int64) = 1", 'Bad int64 value: x'],
  ["select s = 'x' and cast(s as int64) = 1 from unnest(['1','x']) s", 'Bad int64 value: x'],
  ["select s = '1' or cast(s as int64) = 1 from unnest(['1','x']) s", 'Bad int64 value: x'],
  [
    "select case when s = '1' then 1 when cast(s as int64) = 1 then 2 end from unnest(['1','x']) s",
    'Bad int64 value: x',
  ],
  [
    "select if(s = 'x', (select x from unnest([1, 2]) x), 0) from unnest(['1','x']) s",
    'Scalar subquery produced more than one element',
  ],
  [
    "select if(s = 'x', (select cast(t as int64) from unnest(['z']) t), 0) from unnest(['1','x']) s",
    'Bad int64 value: z',
  ],
  ['select sum(n) / 0 from unnest([1]) n', 'division by zero'],
  ['select if(n = 0, 10 / n, 0) from unnest([0]) n', 'division by zero'],
  ['select if(false, 1, 1 / 0)', 'division by zero'],
  ["select max(cast(s as float64)) from unnest(['1','x']) s", 'Bad double value: x'],
  ["select safe_cast(cast(s as int64) as string) from unnest(['1','x']) s", 'Bad int64 value: x'],
  ["select if(n = 1, 1, error('n is not 1')) from unnest([2]) n", 'n is not 1'],
  [
    'with recursive t as (select 1 as n union all select n + 1 from t where n < 502) select n from t',
    iterations,
  ],
  [
    'with recursive t as (select 1 as n union all select n from t) select 1 from t limit 1',
    iterations,
  ],
])('%s fails at run time', async (sql, message) => {
  await expect(rowsOf(sql)).rejects.toMatchObject({ message });
});
