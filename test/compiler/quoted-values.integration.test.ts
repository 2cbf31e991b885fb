import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openQueryRunner, type QueryRunner } from '../support/run-query.js';

let runner: QueryRunner;

beforeAll(async () => {
  runner = await openQueryRunner();
});
afterAll(() => runner.close());

describe('a message', () => {
  const long = 'x'.repeat(150);

  test.each<[string, string, string]>([
    [
      'of a value in quotes',
      "select cast(id || repeat('x', 149) as int64) from `logs.web` limit 1",
      `Bad int64 value: a${long.slice(0, 99)}...`,
    ],
    [
      'of a value at the limit',
      "select cast(id || repeat('x', 99) as int64) from `logs.web` limit 1",
      `Bad int64 value: a${long.slice(0, 99)}`,
    ],
    [
      'with characters beyond 16 bits',
      "select cast(repeat('\u{1f600}', 101) || id as int64) from `logs.web` limit 1",
      `Bad int64 value: ${'\u{1f600}'.repeat(100)}...`,
    ],
    ['of ERROR', "select error(repeat('x', 150))", `${long.slice(0, 100)}...`],
  ])('%s quotes 100 characters', async (_, sql, expected) => {
    await expect(runner.run(sql, { mayQuoteValues: true })).rejects.toMatchObject({
      message: expected,
    });
  });
});
