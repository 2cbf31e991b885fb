import { afterEach, describe, expect, test } from 'vitest';
import { createCompiler } from '../../../src/compiler/compile.js';
import { ServiceError } from '../../../src/errors/errors.js';
import type { SourceSchema } from '../../../src/types/schema.js';
import {
  ask,
  closePools,
  createFixture,
  data,
  dataOf,
  endpoint,
  failureOf,
  plain,
} from '../../support/compile-fixture.js';
import { sample } from '../../support/nightly.js';

afterEach(closePools);

describe('a query that compiles in another process', () => {
  test.each(
    sample(
      [
        [{ language: 'sql', text: 'select id, count(*) as n from web group by id' }, false],
        [{ language: 'sql', text: 'select to_json_string(t) as j from web as t' }, true],
        [{ language: 'lql', text: 's:id' }, false],
      ] as const,
      3,
    ),
  )('is the same as one compiled in this process: %j, redacted: %j', async (sandbox, redact) => {
    const here = createCompiler(data.sources).compile(endpoint, sandbox, { redact });
    const { query, compileMs } = await createFixture().pool.open(data)(endpoint, sandbox, {
      ...plain,
      redact,
    });
    expect(query).toEqual(here);
    expect(compileMs).toBeGreaterThan(0);
  });

  test.each(
    sample(
      [
        ['sql', 'select id,\n  nothing_there from web', 'invalidQuery', 2, 3],
        ['sql', 'select * from secrets', 'accessDenied', 1, 15],
        ['sql', `select ${'('.repeat(100)}1${')'.repeat(100)}`, 'resourcesExceeded', 1, 68],
        ['lql', 's:id nothing_there:1', 'invalidQuery', 1, 6],
      ] as const,
      4,
    ),
  )('has the same faults: %s %s', async (language, text, reason, line, column) => {
    const compiling = createFixture().pool.open(data)(endpoint, { language, text }, plain);
    const error = await failureOf(compiling);
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ faults: [{ reason, location: language, line, column }] });
  });

  test('may be a stored one that is explained', async () => {
    const here = createCompiler(data.sources).explain(endpoint, undefined, { redact: false });
    const compile = createFixture().pool.open(data);
    const { query, stages } = await compile(endpoint, undefined, { ...plain, explains: true });
    expect({ query, stages }).toEqual(here);
  });

  test('must not exceed the maximum size', async () => {
    const long = `concat(id, '${'x'.repeat(50_000)}')`;
    const terms = Array.from({ length: 100 }, (_, i) => `a = '${i}'`).join(' or ');
    const text = `select ${long} as a from web group by id having ${terms}`;
    const error = await failureOf(ask(createFixture().pool.open(data), text));
    expect(error).toMatchObject({ faults: [{ reason: 'resourcesExceeded', location: 'sql' }] });
    expect(String(error)).toContain('more than 1.4 MB');
  });
});

test('each request compiles over its own data, even after later data was opened', async () => {
  const { pool } = createFixture();
  const sourceWith = (name: string): SourceSchema => ({
    name: 'web',
    columns: [{ name, type: { kind: 'STRING' }, stored: true }],
  });
  const columns = ['one', 'two', 'three', 'four'];
  const stored = { ...endpoint, sql: 'with web as (select * from `logs.web`) select 1 as x' };
  const compiles = columns.map((name) => pool.open(dataOf(name, [sourceWith(name)])));
  const sandbox = { language: 'sql', text: 'select * from web' } as const;
  for (const order of [
    [0, 1, 2, 3],
    [3, 0, 3, 1],
    [2, 2],
  ]) {
    const asked = order.map((index) =>
      compiles[index]?.(stored, sandbox, { ...plain, scope: `${order}` }),
    );
    const names = (await Promise.all(asked)).map((one) => one?.query.columns[0]?.name);
    expect(names).toEqual(order.map((index) => columns[index]));
  }
});

test('a bug of the compiler is reported with its stack trace, and the process keeps running', async () => {
  const { pool } = createFixture();
  // Callers cannot send anything but a text, so this stands for a bug.
  const sandbox = { language: 'sql', text: undefined as unknown as string } as const;
  const error = await failureOf(pool.open(data)(endpoint, sandbox, plain));
  expect(error).toBeInstanceOf(Error);
  expect(error).not.toBeInstanceOf(ServiceError);
  expect((error as Error).stack).toContain('lex');
  expect(pool.state().restarts).toBe(0);
});
