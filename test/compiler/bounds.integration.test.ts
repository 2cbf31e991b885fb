import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

describe('the number of quantiles as a parameter', () => {
  const sql = 'select approx_quantiles(id, @parts respect nulls) as x from `logs.web`';
  const parameters = [{ name: 'parts', type: 'integer' }] as const;
  const run = (parts: string) =>
    runner.run(sql, { parameters, bindings: { parts }, mayQuoteValues: true });

  test.each(['0', '-5', '100001', '9223372036854775807'])('cannot be %s', async (value) => {
    const message = 'The last argument of APPROX_QUANTILES must be from 1 to 100000';
    await expect(run(value)).rejects.toMatchObject({ message });
  });

  test.each([
    ['1', 2],
    ['4', 5],
    ['100000', 100_001],
  ])('can be %s', async (value, length) => {
    const [row] = await run(value);
    expect(row?.['x']).toHaveLength(length);
  });
});
