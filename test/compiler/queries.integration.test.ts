import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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

/** Queries over the source of `support/web-source.ts` and their rows, one file per subject. */
type Case = readonly [sql: string, rows: readonly (readonly unknown[])[]];

const folder = join(root, 'test/compiler/queries');
const subjects = readdirSync(folder).map((file) => ({
  file,
  cases: JSON.parse(readFileSync(join(folder, file), 'utf8')) as readonly Case[],
}));

describe.each(subjects)('$file', ({ cases }) => {
  test.each(cases)('%s', async (sql, rows) => {
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
])('%s fails at run time', async (sql, message) => {
  await expect(rowsOf(sql)).rejects.toMatchObject({ message });
});
