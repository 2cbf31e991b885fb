import { afterAll, describe, expect, test } from 'vitest';
import type { Engine, Statement } from '../../src/engine/engine.js';
import { ServiceError } from '../../src/errors/errors.js';
import { createFakeEngine, type FakeAnswer } from '../support/fake-engine.js';
import { sample } from '../support/soak.js';
import { openWebEngine, openWebPool } from '../support/web-source.js';

/** Five rows joined with themselves sixteen times: never finishes. */
const names = Array.from({ length: 16 }, (_, place) => `t${place}`);

/** The queries that every engine is asked, and the fake engine's answers. */
const statements = {
  none: ["select encode('1') where false", []],
  three: ["select encode(unnest(['1', '2', '3']))", ['1', '2', '3']],
  value: ["select encode(coalesce($a, 'null'))", ['0']],
  failing: [
    "select bq.string_to_int64('x')::varchar",
    new ServiceError('invalidQuery', 'Bad int64 value: x'),
  ],
  endless: [
    `select encode(count(*)::varchar) from ${names.map((name) => `logs.web as ${name}`).join(' cross join ')}
     where ${names.map((name) => `${name}.id`).join(' || ')} = 'none'`,
    'endless',
  ],
} as const satisfies Record<string, readonly [string, FakeAnswer]>;

type Name = keyof typeof statements;

function statementOf(name: Name, more: Partial<Statement> = {}): Statement {
  const [sql] = statements[name];
  return { sql, tables: ['logs.web'], readsOwnRows: true, values: {}, maxRows: 10, ...more };
}

function answerTo({ sql }: Statement): FakeAnswer {
  return Object.values(statements).find(([known]) => known === sql)?.[1] ?? [];
}

const limits = { queryTimeoutMs: 800 };
const engines: readonly (readonly [string, () => Promise<Engine>])[] = [
  ['the fake engine', async () => createFakeEngine(answerTo, limits.queryTimeoutMs)],
  ['the engine in one process', () => openWebEngine('struct', limits)],
  ['the pool of engine processes', () => openWebPool(limits)],
];

describe.each(engines)('%s', (_name, open) => {
  let opened: Engine | undefined;

  async function run(name: Name, more: Partial<Statement> = {}, signal = never()) {
    opened ??= await open();
    return opened.run(statementOf(name, more), { signal });
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
        ['three', 10, '[1,2,3]', 3, false],
        ['three', 3, '[1,2,3]', 3, false],
        ['three', 2, '[1,2]', 2, true],
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
    expect((await run('value', { values: { a: '0' } })).rowCount).toBe(1);
  });

  test('refuses a statement that fails on its data, and goes on', async () => {
    await expect(run('failing')).rejects.toThrow('Bad int64 value: x');
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
