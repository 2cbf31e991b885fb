import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ExplainingEngine } from '../../../src/engine/engine.js';
import { ServiceError } from '../../../src/errors/errors.js';
import { openWebEngine } from '../../support/web-source.js';

const never = new AbortController().signal;
/** Five rows joined with themselves sixteen times: never finishes. */
const names = Array.from({ length: 16 }, (_, place) => `t${place}`);
const endless = `select encode(count(*)::varchar)
  from ${names.map((name) => `logs.web as ${name}`).join(' cross join ')}
  where ${names.map((name) => `${name}.id`).join(' || ')} = 'none'`;

let engine: ExplainingEngine;

beforeAll(async () => {
  engine = await openWebEngine('struct', { maxResultBytes: 1_000 });
});
afterAll(() => engine.close());

function run(sql: string, { values = {}, maxRows = 10, signal = never, runner = engine } = {}) {
  return runner.run({ sql, tables: ['logs.web'], readsOwnRows: true, values, maxRows }, { signal });
}

async function reasonOf(running: Promise<unknown>): Promise<string> {
  const error = await running.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return error instanceof ServiceError ? error.faults[0].reason : `no refusal: ${String(error)}`;
}

describe('rows', () => {
  test('are joined in order, cut at maxRows, and marked as truncated', async () => {
    const result = await run('select encode(unnest([0, 1, 2, 3])::varchar)', { maxRows: 3 });
    expect(Buffer.from(result.body).toString()).toBe('[0,1,2]');
    expect(result).toMatchObject({ rowCount: 3, truncated: true });
  });

  test('become an empty array if there are none', async () => {
    const result = await run("select encode('x') where false");
    expect(Buffer.from(result.body).toString()).toBe('[]');
    expect(result).toMatchObject({ rowCount: 0, truncated: false });
  });

  test('are computed from values bound as text, and NULL as NULL', async () => {
    const values = { a: "it's; drop table x --", b: null };
    const result = await run("select encode(to_json($a)::varchar || coalesce($b, '1'))", {
      values,
    });
    expect(Buffer.from(result.body).toString()).toBe('["it\'s; drop table x --"1]');
  });
});

describe('a failure on the data', () => {
  const failures = [
    ["bq.string_to_int64(t.id || 'x')", 'Bad int64 value: ax', 'Bad int64 value'],
    ["bq.string_to_date('1' || t.id)", "Invalid date: '1a'", 'Invalid date'],
    [
      '9223372036854775807 + length(t.id)',
      'int64 overflow: 9223372036854775807 + 1',
      'int64 overflow',
    ],
  ] as const;

  test.each(failures)(
    "%s quotes a value where the rows are the caller's own",
    async (sql, own, other) => {
      const statement = {
        sql: `select encode((${sql})::varchar) from logs.web as t where t.id = 'a'`,
        tables: ['logs.web'],
        values: {},
        maxRows: 1,
      };
      await expect(
        engine.run({ ...statement, readsOwnRows: true }, { signal: never }),
      ).rejects.toThrow(own);
      await expect(engine.run(statement, { signal: never })).rejects.toThrow(
        new ServiceError('invalidQuery', other),
      );
    },
  );
});

describe('limits', () => {
  test('of time: the query is stopped and the limit is named', async () => {
    const runner = await openWebEngine('struct', { queryTimeoutMs: 400 });
    const running = run(endless, { runner });
    await expect(running).rejects.toThrow('--query-timeout');
    expect(await reasonOf(running)).toBe('timeout');
    await runner.close();
  });

  test('the query is stopped when the caller cancels', async () => {
    const caller = new AbortController();
    setTimeout(() => caller.abort(), 50);
    expect(await reasonOf(run(endless, { signal: caller.signal }))).toBe('timeout');
  });

  test('of the size of a result', async () => {
    await expect(run("select encode(bq.repeat('x', 2000))")).rejects.toThrow('--max-result-bytes');
  });
});

describe('failures on data', () => {
  test.each([
    ['select bq.divide(1::double, 0::double)::varchar', 'division by zero'],
    ["select bq.string_to_int64('x')::varchar", 'Bad int64 value: x'],
    ["select regexp_matches('', $a)::varchar", 'Cannot parse regular expression: missing ): ('],
    [
      'select (9223372036854775807::bigint + 1::bigint)::varchar',
      'int64 overflow: 9223372036854775807 + 1',
    ],
    ['select (select unnest([1, 2]))::varchar', 'Scalar subquery produced more than one element'],
  ])('%s', async (sql, message) => {
    const values = sql.includes('$a') ? { a: '(' } : {};
    const running = run(sql, { values });
    await expect(running).rejects.toMatchObject({ message });
    expect(await reasonOf(running)).toBe('invalidQuery');
  });

  test('an unforeseen failure is not a refusal, and its message reveals nothing', async () => {
    const sql = "select lower('secret', 'other')";
    await expect(run(sql)).rejects.toMatchObject({
      message: 'the engine failed on a statement',
      kind: 'Binder Error',
      digest: createHash('sha256').update(sql).digest('hex').slice(0, 16),
    });
    expect(await reasonOf(run(sql))).toContain('no refusal');
  });
});

describe('locks', () => {
  test.each([
    "select content from read_text('/etc/hostname')",
    "select * from read_csv('/etc/passwd')",
    "copy (select 1) to '/tmp/log-endpoints-leak'",
    "attach '/tmp/log-endpoints-leak.duckdb' as leak",
    "set memory_limit = '1TB'",
    'set enable_external_access = true',
    'install httpfs',
    'delete from logs.web',
    "select getenv('HOME')",
  ])('%s fails', async (sql) => {
    await expect(run(sql)).rejects.toThrow();
  });
});
