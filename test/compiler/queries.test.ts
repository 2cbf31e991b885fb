import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import type { DuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { root } from '../support/paths.js';
import { openWebEngine, webSource } from '../support/web-source.js';

const compiler = createCompiler([webSource('struct')]);
let engine: DuckDbEngine;

beforeAll(async () => {
  engine = await openWebEngine('struct');
});
afterAll(() => engine.close());

async function rowsOf(sql: string): Promise<readonly (readonly unknown[])[]> {
  const query = compiler.compile({ name: 'web', sql, maxRows: 100, parameters: [] });
  const { signal } = new AbortController();
  const result = await engine.run(
    { ...query, steps: [], readsOwnRows: true, values: {}, maxRows: 100 },
    { signal },
  );
  const rows = JSON.parse(Buffer.from(result.json).toString()) as readonly object[];
  return rows.map((row) => Object.values(row));
}

/** Queries over the source of `support/web-source.ts`, and their rows; a file for each subject. */
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
])('%s fails while it runs', async (sql, message) => {
  await expect(rowsOf(sql)).rejects.toMatchObject({ message });
});
