import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createCompiler } from '../../src/compiler/compile.js';
import type { DuckDbEngine } from '../../src/engine/duckdb/duckdb.js';
import { openWebEngine, webSource } from '../support/web-source.js';

let engine: DuckDbEngine;

beforeAll(async () => {
  engine = await openWebEngine('struct');
});
afterAll(() => engine.close());

describe('a count that a parameter gives', () => {
  const sql = 'select approx_quantiles(id, @parts respect nulls) as x from `logs.web`';
  const compiler = createCompiler([webSource('struct')]);
  const parameters = [{ name: 'parts', type: 'integer' }] as const;
  const run = (value: string | null) => {
    const query = compiler.compile({ name: 'web', sql, maxRows: 1, parameters });
    const { signal } = new AbortController();
    return engine.run(
      { ...query, steps: [], readsOwnRows: true, values: { p_parts: value }, maxRows: 1 },
      { signal },
    );
  };

  test.each(['0', '-5', '100001', '9223372036854775807'])('is never %s', async (value) => {
    const message = 'The last argument of APPROX_QUANTILES must be from 1 to 100000';
    await expect(run(value)).rejects.toMatchObject({ message });
  });

  test.each([
    ['1', 2],
    ['4', 5],
    ['100000', 100_001],
  ])('may be %s', async (value, length) => {
    const { json } = await run(value);
    expect(JSON.parse(Buffer.from(json).toString())[0].x).toHaveLength(length);
  });
});
