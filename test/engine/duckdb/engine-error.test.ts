import { describe, expect, test } from 'vitest';
import { engineServiceError, type Quoting } from '../../../src/engine/duckdb/engine-error.js';
import { macros } from '../../support/macros.js';

/** The error of a macro that fails, as DuckDB words it. */
function failed(message: string): Error {
  const context = '\n\nLINE 1: select bq.string_to_int64(x)\n               ^';
  return new Error(
    `Conversion Error: Could not convert string 'bq.fail(${message})' to INT64${context}`,
  );
}

async function told(error: Error, quoting: Quoting, redact?: (text: string) => Promise<string>) {
  return (await engineServiceError(error, { sql: 'select 1', quoting, redact })).message;
}

describe('a failure of a macro', () => {
  test.each([
    ["Bad int64 value: it's", "Bad int64 value: it's", 'Bad int64 value'],
    ["Invalid date: '2026-02-30'", "Invalid date: '2026-02-30'", 'Invalid date'],
    [
      'Array index 7 is out of bounds',
      'Array index 7 is out of bounds',
      'Array index … is out of bounds',
    ],
    ['ERROR: no such user', 'no such user', 'The query failed on its data: ERROR was called'],
    ['Bad bool value: a)b\n', 'Bad bool value: a)b\n', 'Bad bool value'],
  ])('%j is told with its values, without them, or not at all', async (message, all, less) => {
    expect(await told(failed(message), 'values')).toBe(all);
    expect(await told(failed(message), 'no values')).toBe(less);
    expect(await told(failed(message), 'nothing')).toBe(
      "The endpoint's own query failed on its data",
    );
  });

  test('is redacted before its value is cut', async () => {
    const redact = async (text: string) => text.replace('ann@example.com', 'REDACTED');
    const value = `${'x'.repeat(95)} ann@example.com`;
    const message = await told(failed(`Bad int64 value: ${value}`), 'values', redact);
    expect(message).toBe(`Bad int64 value: ${'x'.repeat(95)} REDA...`);
  });
});

test.each([
  "Conversion Error: Could not convert string 'x bq.fail(secret)' to INT64",
  'Conversion Error: Could not convert string "bq.fail(secret)" to DECIMAL(38,9)',
])('%s is a failure of the engine, which quotes nothing', async (message) => {
  expect(await told(new Error(message), 'values')).toBe('Bad value: a cast failed on the data');
});

test.each(['Binder Error: secret', 'secret'])(
  '%s is unknown and quotes nothing',
  async (message) => {
    expect(await told(new Error(message), 'values')).toBe('the engine failed on a statement');
  },
);

test('macros fail through bq.fail_<type> only', () => {
  expect(macros.match(/\bcast\(\s*'[A-Za-z]+ [^']*'/g)).toBeNull();
});
