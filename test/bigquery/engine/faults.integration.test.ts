import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import {
  type BigQueryOptions,
  type BigQueryPool,
  createBigQueryPool,
} from '../../../src/bigquery/engine/engine.js';
import type { Statement } from '../../../src/engine/engine.js';
import { ServiceError, StatementFault } from '../../../src/errors/errors.js';
import { scalar } from '../../../src/types/types.js';
import { openStandInApi, wideLimits } from '../../support/bigquery-engine.js';
import { type StandIn, startStandIn } from '../../support/bigquery-stand-in.js';
import { acceptance } from '../../support/paths.js';

const MB = 1024 ** 2;

const statement: Statement = {
  sql: 'SELECT n FROM UNNEST(GENERATE_ARRAY(1, 9)) AS n ORDER BY n',
  tables: [],
  values: {},
  columns: [{ name: 'n', type: scalar('INT64') }],
  maxRows: 100,
};

let standIn: StandIn;
let api: Awaited<ReturnType<typeof openStandInApi>>;

beforeAll(async () => {
  const data = join(acceptance, 'fixtures/basic');
  standIn = await startStandIn({ data, pageRows: 4, tokenSeconds: 1 });
  api = await openStandInApi(standIn);
});
afterAll(() => standIn.close());

type Limits = Partial<Omit<BigQueryOptions, 'api'>>;

let pool: BigQueryPool;

function open(limits: Limits = {}) {
  pool = createBigQueryPool({ ...wideLimits, ...limits, api });
  return pool.open();
}

afterEach(() => {
  // No statement keeps its turn, however it ended.
  expect(pool.state()).toMatchObject({ running: 0, waiting: 0 });
});

async function run(more: Partial<Statement> = {}, limits: Limits = {}) {
  const engine = await open(limits);
  const { signal } = new AbortController();
  return engine.run({ ...statement, ...more }, { signal, caller: 'one' });
}

async function failureOf(running: Promise<unknown>): Promise<unknown> {
  return running.then(
    () => 'an answer',
    (error: unknown) => error,
  );
}

describe('what passes by itself', () => {
  test('a job that BigQuery cannot start at once', async () => {
    standIn.failNext('job', { code: 503, reason: 'backendError', message: 'try again' });
    expect((await run()).rowCount).toBe(9);
  });

  test('a connection that is cut before a page', async () => {
    standIn.failNext('page', 'cut');
    expect((await run()).rowCount).toBe(9);
  });

  test('a request that has no answer', async () => {
    const impatient = await openStandInApi(standIn, 1000);
    standIn.failNext('page', 'silent');
    pool = createBigQueryPool({ ...wideLimits, api: impatient });
    const engine = await pool.open();
    expect((await engine.run(statement, { signal: new AbortController().signal })).rowCount).toBe(
      9,
    );
  });

  test.each([429, 500, 503])('an answer %i without a reason', async (code) => {
    standIn.failNext('job', { code, message: 'no reason' });
    expect((await run()).rowCount).toBe(9);
  });

  test('a rate limit', async () => {
    standIn.failNext('job', { code: 403, reason: 'rateLimitExceeded', message: 'too fast' });
    expect((await run()).rowCount).toBe(9);
  });

  test('a page that BigQuery cannot give at once', async () => {
    standIn.failNext('page', { code: 500, reason: 'internalError', message: 'try again' });
    const { body } = await run();
    expect(JSON.parse(Buffer.from(body).toString())).toHaveLength(9);
  });
});

describe('refusals', () => {
  test.each([
    [400, 'bytesBilledLimitExceeded', 'resourcesExceeded', '--bigquery-max-bytes'],
    [400, 'resourcesExceeded', 'resourcesExceeded', 'narrow its time window'],
    [403, 'responseTooLarge', 'resourcesExceeded', 'select fewer rows'],
    [403, 'quotaExceeded', 'backendBusy', 'try later'],
    [400, 'stopped', 'timeout', '--query-timeout'],
  ])('%i %s', async (code, reason, own, text) => {
    standIn.failNext('job', { code, reason, message: 'BigQuery has its own words' });
    const error = await failureOf(run());
    expect(error).toBeInstanceOf(ServiceError);
    expect(error).toMatchObject({ faults: [{ reason: own }] });
    expect(String(error)).toContain(text);
    expect(String(error)).not.toContain('its own words');
  });

  test('a failure on the data quotes no values', async () => {
    const sql = "SELECT CAST(x AS INT64) AS n FROM UNNEST(['secret']) AS x";
    const error = await failureOf(run({ sql }));
    expect(error).toMatchObject({ faults: [{ reason: 'invalidQuery' }] });
    expect(String(error)).not.toContain('secret');
  });

  test.each([
    ['Bad int64 value: x at [1:2]abc', 'Bad value: a cast failed on the data'],
    ['Bad int64 value: a [1] at [1:2]', 'Bad value: a cast failed on the data'],
    ['Cannot query over table t without a filter over column(s) x', 'has no start time'],
    ['Something else', 'The query failed on its data'],
  ])('invalidQuery: %s', async (message, text) => {
    standIn.failNext('job', { code: 400, reason: 'invalidQuery', message });
    const error = await failureOf(run());
    expect(error).toBeInstanceOf(ServiceError);
    expect(String(error)).toContain(text);
  });

  test('a job whose answer is lost is not started again, and counts as all that it may be billed for', async () => {
    const before = standIn.jobs.length;
    standIn.failNext('job', 'cut');
    const error = await failureOf(run({}, { maxBytes: 20 * MB }));
    expect(error).toMatchObject({ faults: [{ reason: 'backendBusy' }] });
    await expect.poll(() => pool.state().billedBytes).toBe(20 * MB);
    expect(standIn.jobs).toHaveLength(before);
  });

  test.each([
    [401, 'authError'],
    [403, 'accessDenied'],
    [404, 'notFound'],
  ])(
    '%i %s is a fault of the server, which is not ready until a statement runs',
    async (code, reason) => {
      const engine = await open();
      const { signal } = new AbortController();
      standIn.failNext('job', { code, reason, message: 'no' });
      expect(await failureOf(engine.run(statement, { signal }))).toBeInstanceOf(StatementFault);
      expect(pool.state().canStart).toBe(false);
      await engine.run(statement, { signal });
      expect(pool.state().canStart).toBe(true);
    },
  );

  test('the server is ready again once BigQuery refuses only a statement', async () => {
    const engine = await open();
    const { signal } = new AbortController();
    standIn.failNext('job', { code: 404, reason: 'notFound', message: 'no' });
    await failureOf(engine.run(statement, { signal }));
    expect(pool.state().canStart).toBe(false);
    standIn.failNext('job', { code: 400, reason: 'invalidQuery', message: 'no at [1:1]' });
    await failureOf(engine.run(statement, { signal }));
    expect(pool.state().canStart).toBe(true);
  });

  test('the server is ready again by itself', async () => {
    const engine = await open();
    standIn.failNext('job', { code: 404, reason: 'notFound', message: 'no' });
    await failureOf(engine.run(statement, { signal: new AbortController().signal }));
    expect(pool.state().canStart).toBe(false);
    await expect.poll(() => pool.state().canStart, { timeout: 60_000, interval: 200 }).toBe(true);
  });

  test('credentials that have expired are a fault of the server', async () => {
    const engine = await open();
    const { signal } = new AbortController();
    standIn.failNext('token', { code: 400, reason: 'invalid_grant', message: 'expired' });
    const error = await failureOf(engine.run(statement, { signal }));
    expect(error).toBeInstanceOf(StatementFault);
    expect(error).toMatchObject({ kind: 'BigQuery authError' });
    expect(pool.state().canStart).toBe(false);
    expect((await engine.run(statement, { signal })).rowCount).toBe(9);
  });

  test('a result that is too large', async () => {
    const error = await failureOf(run({}, { maxResultBytes: 20 }));
    expect(String(error)).toContain('--max-result-bytes');
  });
});

describe('a slow job', () => {
  test('is waited for, and billed', async () => {
    standIn.failNext('job', 'slow');
    const { rowCount, billedBytes } = await run();
    expect([rowCount, billedBytes]).toEqual([9, 10 * MB]);
  });

  test('counts as all that it may be billed for, where BigQuery does not say', async () => {
    standIn.failNext('job', 'slow');
    standIn.failNext('state', { code: 403, reason: 'accessDenied', message: 'no' });
    const { rowCount, billedBytes } = await run({}, { maxBytes: 20 * MB });
    expect([rowCount, billedBytes]).toEqual([9, 20 * MB]);
  });

  test('is cancelled and billed where its answer cannot be read', async () => {
    standIn.failNext('job', 'slow');
    standIn.failNext('page', { code: 403, reason: 'accessDenied', message: 'no' });
    expect(await failureOf(run())).toBeInstanceOf(StatementFault);
    await untilCancelled();
    await expect.poll(() => pool.state().billedBytes).toBe(10 * MB);
  });

  test('is cancelled at the time limit', async () => {
    standIn.failNext('job', 'endless');
    const error = await failureOf(run({}, { queryTimeoutMs: 300 }));
    expect(error).toMatchObject({ faults: [{ reason: 'timeout' }] });
    await untilCancelled();
  });

  test('is cancelled when its caller leaves', async () => {
    const engine = await open();
    const caller = new AbortController();
    standIn.failNext('job', 'endless');
    const running = engine.run(statement, { signal: caller.signal });
    setTimeout(() => caller.abort(), 100);
    expect(String(await failureOf(running))).toContain('The query was cancelled');
    await untilCancelled();
  });

  test('is cancelled when the engine is closed', async () => {
    const engine = await open();
    standIn.failNext('job', 'endless');
    const running = engine.run(statement, { signal: new AbortController().signal });
    const failure = failureOf(running);
    await expect.poll(() => standIn.jobs.at(-1)?.sql).toBe(statement.sql);
    void engine.close();
    expect(String(await failure)).toContain('shutting down');
    await untilCancelled();
  });

  test('is cancelled before the engine has closed', async () => {
    const engine = await open();
    standIn.failNext('job', 'endless');
    const running = failureOf(engine.run(statement, { signal: new AbortController().signal }));
    await expect.poll(() => standIn.jobs.at(-1)?.sql).toBe(statement.sql);
    await engine.close();
    expect(standIn.jobs.at(-1)?.isCancelled).toBe(true);
    await running;
    await untilCancelled();
  });

  async function untilCancelled(): Promise<void> {
    const job = standIn.jobs.at(-1);
    await expect.poll(() => job?.isCancelled).toBe(true);
    // A cancelled job is billed, too.
    await expect.poll(() => pool.state().billedBytes).toBe(10 * MB);
  }
});

describe('money', () => {
  test('a job names its limit and its labels', async () => {
    const engine = await open({ maxBytes: 20 * MB });
    const { signal } = new AbortController();
    const result = await engine.run(statement, {
      signal,
      labels: { token: 'Token 1', endpoint: 'logs.all' },
    });
    expect(standIn.jobs.at(-1)?.body).toMatchObject({
      maximumBytesBilled: String(20 * MB),
      labels: { token: 'token_1', endpoint: 'logs_all' },
    });
    expect(result.billedBytes).toBe(10 * MB);
    expect(pool.state().billedBytes).toBe(10 * MB);
  });

  test('a statement that would read more than allowed does not run', async () => {
    const sql = 'SELECT COUNT(*) AS n FROM `stand-in`.`logs`.`edge_logs`';
    const error = await failureOf(run({ sql }, { maxBytes: 25 * 1024 }));
    expect(error).toMatchObject({ faults: [{ reason: 'resourcesExceeded' }] });
    expect((await run({ sql }, { maxBytes: 26 * 1024 })).rowCount).toBe(1);
  });

  test('a caller with no budget left is refused, another is not, nor is the same on another day', async () => {
    let day = '2026-03-10';
    const engine = await open({ maxBytesPerDay: 20 * MB, today: () => day });
    const { signal } = new AbortController();
    const ask = (caller: string) => engine.run(statement, { signal, caller });
    await ask('one');
    expect(standIn.jobs.at(-1)?.body['maximumBytesBilled']).toBe(String(20 * MB));
    await ask('one');
    expect(standIn.jobs.at(-1)?.body['maximumBytesBilled']).toBe(String(10 * MB));
    await expect(ask('one')).rejects.toThrow('is used up');
    await ask('two');
    day = '2026-03-11';
    await ask('one');
  });

  test('a statement that needs more than is left of the budget does not run', async () => {
    const sql = 'SELECT COUNT(*) AS n FROM `stand-in`.`logs`.`edge_logs`';
    const error = await failureOf(run({ sql }, { maxBytesPerDay: 25 * 1024 }));
    expect(error).toMatchObject({ faults: [{ reason: 'rateLimitExceeded' }] });
    expect(String(error)).toContain('--bigquery-max-bytes-per-day');
  });

  test('a caller who leaves before the job starts leaves the budget as it was', async () => {
    const engine = await open({ maxBytesPerDay: 15 * MB });
    const caller = new AbortController();
    const onStart = () => caller.abort();
    const left = engine.run(statement, { signal: caller.signal, caller: 'one', onStart });
    expect(String(await failureOf(left))).toContain('The query was cancelled');
    expect(
      (await engine.run(statement, { signal: new AbortController().signal, caller: 'one' }))
        .rowCount,
    ).toBe(9);
  });

  test('statements that run together do not exceed the budget', async () => {
    const engine = await open({ maxBytesPerDay: 20 * MB });
    const { signal } = new AbortController();
    const both = [1, 2].map(() => engine.run(statement, { signal, caller: 'one' }));
    const ends = await Promise.allSettled(both);
    expect(ends.map(({ status }) => status)).toEqual(['fulfilled', 'rejected']);
    expect((await engine.run(statement, { signal, caller: 'one' })).rowCount).toBe(9);
  });

  test('all steps of a search for the newest rows together keep to the limit of a query', async () => {
    const newest = { kind: 'newest', rows: 100, ends: [], now: '2026-03-10T12:00:00Z' } as const;
    const { billedBytes } = await run({ window: newest, maxRows: 1000 }, { maxBytes: 45 * MB });
    const limits = standIn.jobs.slice(-4).map(({ body }) => Number(body['maximumBytesBilled']));
    expect(limits).toEqual([45, 35, 25, 15].map((size) => size * MB));
    expect(billedBytes).toBe(40 * MB);
  });

  test('a search for the newest rows ends where another step would cost too much', async () => {
    const newest = { kind: 'newest', rows: 100, ends: [], now: '2026-03-10T12:00:00Z' } as const;
    const before = standIn.jobs.length;
    const result = await run({ window: newest, maxRows: 1000 }, { maxBytes: 15 * MB });
    expect(standIn.jobs).toHaveLength(before + 1);
    expect([result.rowCount, result.note]).toEqual([
      9,
      'rows before 2026-03-10T11:00:00.000Z were not read',
    ]);
    standIn.failNext('job', { code: 500, reason: 'backendError', message: 'again' });
    const refused = { code: 400, reason: 'bytesBilledLimitExceeded', message: 'no' };
    const all = run({ window: newest, maxRows: 1000 }, { maxBytes: 100 * MB });
    await expect.poll(() => standIn.jobs.length, { interval: 1 }).toBe(before + 2);
    standIn.failNext('job', refused);
    expect((await all).rowCount).toBe(9);
  });
});

test('a value is not changed on its way', async () => {
  const sql = 'SELECT @p_text AS n';
  const columns = [{ name: 'n', type: scalar('STRING') }];
  const { body } = await run({ sql, columns, values: { p_text: '{{projectId}}' } });
  expect(JSON.parse(Buffer.from(body).toString())).toEqual([{ n: '{{projectId}}' }]);
});
