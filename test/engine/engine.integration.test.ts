import { afterAll, describe, expect, test } from 'vitest';
import type { Engine, Statement } from '../../src/engine/engine.js';
import { ServiceError } from '../../src/errors/errors.js';
import { scalar } from '../../src/types/types.js';
import { openStandInEngine } from '../support/bigquery-engine.js';
import { createFakeEngine, type FakeAnswer } from '../support/fake-engine.js';
import { sample } from '../support/nightly.js';
import { openWebEngine, openWebPool } from '../support/web-source.js';

/** Five rows joined with themselves sixteen times: never finishes. */
const names = Array.from({ length: 16 }, (_, place) => `t${place}`);

interface Question {
  readonly duckdb: string;
  readonly bigquery: string;
  readonly answer: FakeAnswer;
}

/** The queries that every engine is asked, and the fake engine's answers. */
const questions = {
  none: {
    duckdb: "select encode('{}') where false",
    bigquery: 'SELECT 1 AS n FROM UNNEST([1]) WHERE FALSE',
    answer: [],
  },
  three: {
    duckdb: `select encode(unnest(['{"n":1}', '{"n":2}', '{"n":3}']))`,
    bigquery: 'SELECT n FROM UNNEST([1, 2, 3]) AS n',
    answer: ['{"n":1}', '{"n":2}', '{"n":3}'],
  },
  value: {
    duckdb: `select encode('{"n":' || coalesce($a, 'null') || '}')`,
    bigquery: 'SELECT CAST(@a AS INT64) AS n',
    answer: ['{"n":0}'],
  },
  failing: {
    duckdb: "select bq.string_to_int64('x')::varchar",
    bigquery: "SELECT CAST(x AS INT64) AS n FROM UNNEST(['x']) AS x",
    answer: new ServiceError('invalidQuery', 'Bad int64 value: x'),
  },
  endless: {
    duckdb: `select encode(count(*)::varchar) from ${names.map((name) => `logs.web as ${name}`).join(' cross join ')}
     where ${names.map((name) => `${name}.id`).join(' || ')} = 'none'`,
    bigquery: 'SELECT 0 AS n',
    answer: 'endless',
  },
} as const satisfies Record<string, Question>;

type Name = keyof typeof questions;

const columns = [{ name: 'n', type: scalar('INT64') }];

function statementOf({ dialect }: Engine, name: Name, more: Partial<Statement> = {}) {
  const { [dialect.isRemote ? 'bigquery' : 'duckdb']: sql } = questions[name];
  const reads = { tables: ['logs.web'], readsOwnRows: true, values: {}, maxRows: 10, columns };
  return { sql, ...reads, ...more };
}

function answerTo({ sql }: Statement): FakeAnswer {
  return Object.values(questions).find(({ duckdb }) => duckdb === sql)?.answer ?? [];
}

const limits = { queryTimeoutMs: 800 };
const engines: readonly (readonly [string, () => Promise<Engine>])[] = [
  ['the fake engine', async () => createFakeEngine(answerTo, limits.queryTimeoutMs)],
  ['the engine in one process', () => openWebEngine('struct', limits)],
  ['the pool of engine processes', () => openWebPool(limits)],
  ['BigQuery, which is a stand-in', () => openStandInEngine(limits)],
];

describe.each(engines)('%s', (_name, open) => {
  let opened: Engine | undefined;

  async function run(name: Name, more: Partial<Statement> = {}, signal = never()) {
    opened ??= await open();
    return opened.run(statementOf(opened, name, more), { signal });
  }

  async function reasonOf(running: Promise<unknown>): Promise<string> {
    const error = await running.then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    return error instanceof ServiceError ? error.faults[0].reason : `no refusal: ${String(error)}`;
  }

  afterAll(() => opened?.close());

  test.each(
    sample(
      [
        ['none', 10, '[]', 0, false],
        ['three', 10, '[{"n":1},{"n":2},{"n":3}]', 3, false],
        ['three', 3, '[{"n":1},{"n":2},{"n":3}]', 3, false],
        ['three', 2, '[{"n":1},{"n":2}]', 2, true],
      ] as const,
      3,
    ),
  )('%s, of which %i may leave', async (name, maxRows, json, rowCount, truncated) => {
    const result = await run(name, { maxRows });
    expect(Buffer.from(result.body).toString()).toBe(json);
    expect(result).toMatchObject({ rowCount, truncated });
    for (const ms of Object.values(result.timings)) expect(ms).toBeGreaterThanOrEqual(0);
  });

  test('binds values', async () => {
    const { body } = await run('value', { values: { a: '0' } });
    expect(Buffer.from(body).toString()).toBe('[{"n":0}]');
  });

  test('refuses a statement that fails on its data, and goes on', async () => {
    await expect(run('failing')).rejects.toThrow(/^Bad /);
    expect(await reasonOf(run('failing'))).toBe('invalidQuery');
    expect((await run('three')).rowCount).toBe(3);
  });

  test('stops at the time limit, names it, and goes on', async () => {
    const running = run('endless');
    await expect(running).rejects.toThrow('--query-timeout');
    expect(await reasonOf(running)).toBe('timeout');
    expect((await run('three')).rowCount).toBe(3);
  });

  test('stops when the caller cancels, and goes on', async () => {
    const caller = new AbortController();
    const running = run('endless', {}, caller.signal);
    setTimeout(() => caller.abort(), 50);
    await expect(running).rejects.toThrow('The query was cancelled');
    expect((await run('three')).rowCount).toBe(3);
  });

  test('does not start for a caller who has cancelled already', async () => {
    expect(await reasonOf(run('three', {}, AbortSignal.abort()))).toBe('timeout');
  });

  test('runs several at once', async () => {
    const results = await Promise.all([run('three'), run('none'), run('three')]);
    expect(results.map(({ rowCount }) => rowCount)).toEqual([3, 0, 3]);
  });

  test('refuses everything once it is closed', async () => {
    await run('none');
    await opened?.close();
    expect(await reasonOf(run('three'))).toBe('backendBusy');
  });
});

function never(): AbortSignal {
  return new AbortController().signal;
}
