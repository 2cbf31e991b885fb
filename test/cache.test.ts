import { describe, expect, test } from 'vitest';
import type { Result } from '../src/engine/engine.js';
import { type CacheRequest, createCache } from '../src/result/cache.js';

const timings = { queueMs: 1, engineMs: 2, encodeMs: 3 };

function resultOf(text: string): Result {
  return { json: Buffer.from(text), rowCount: 1, truncated: false, timings };
}

function requestFor(more: Partial<CacheRequest> = {}): CacheRequest {
  return {
    statement: { sql: 'select 1', tables: [], values: { p_a: 'x' }, maxRows: 10 },
    ttlSeconds: 60,
    clockFixed: false,
    dataVersion: '1',
    signal: new AbortController().signal,
    ...more,
  };
}

function createFixture(maxBytes = 1_000_000) {
  let ms = 0;
  let runs = 0;
  const cache = createCache({ maxBytes, now: () => ms });
  const read = (request = requestFor(), text = '[{"a":1}]') =>
    cache.read(request, async () => {
      runs += 1;
      return resultOf(text);
    });
  return { cache, read, wait: (by: number) => (ms += by), runs: () => runs };
}

test('a result is kept for its time to live and no longer', async () => {
  const { read, wait, runs } = createFixture();
  expect(await read()).toMatchObject({ state: 'MISS', ageSeconds: 0, secondsLeft: 60 });
  wait(59_999);
  expect(await read()).toMatchObject({ state: 'HIT', ageSeconds: 59, secondsLeft: 1 });
  wait(1);
  expect(await read()).toMatchObject({ state: 'MISS', ageSeconds: 0, secondsLeft: 60 });
  expect(runs()).toBe(2);
});

test('nothing is kept where the endpoint does not cache', async () => {
  const { read, runs } = createFixture();
  const request = requestFor({ ttlSeconds: 0 });
  expect(await read(request)).toMatchObject({ state: 'BYPASS', secondsLeft: 0 });
  expect(await read(request)).toMatchObject({ state: 'BYPASS' });
  expect(runs()).toBe(2);
});

const { statement } = requestFor();
const atNoon = { ...statement, values: { p_a: 'x', now: '12:00' } };
const atOne = { ...statement, values: { p_a: 'x', now: '13:00' } };

test.each<[string, Partial<CacheRequest>, Partial<CacheRequest>, string]>([
  ['the same', {}, {}, 'HIT'],
  ['another text', {}, { statement: { ...statement, sql: 'select 2' } }, 'MISS'],
  ['another value', {}, { statement: { ...statement, values: { p_a: 'y' } } }, 'MISS'],
  ['no value', {}, { statement: { ...statement, values: { p_a: null } } }, 'MISS'],
  ['another limit', {}, { statement: { ...statement, maxRows: 11 } }, 'MISS'],
  ['other data', {}, { dataVersion: '2' }, 'MISS'],
  ['a later moment', { statement: atNoon }, { statement: atOne }, 'HIT'],
  [
    'another fixed instant',
    { statement: atNoon, clockFixed: true },
    { statement: atOne, clockFixed: true },
    'MISS',
  ],
  ['a fixed instant', { statement: atNoon }, { statement: atNoon, clockFixed: true }, 'MISS'],
])('%s', async (_what, first, second, state) => {
  const { read } = createFixture();
  await read(requestFor(first));
  expect(await read(requestFor(second))).toMatchObject({ state });
});

test('its size is bounded, and what was not asked for longest goes first', async () => {
  const { read } = createFixture(2500);
  const request = (sql: string) => requestFor({ statement: { ...statement, sql } });
  const text = 'x'.repeat(900);
  for (const sql of ['a', 'b', 'a', 'c']) await read(request(sql), text);
  expect(await read(request('a'), text)).toMatchObject({ state: 'HIT' });
  expect(await read(request('b'), text)).toMatchObject({ state: 'MISS' });
  await read(request('big'), 'x'.repeat(3000));
  expect(await read(request('big'), 'x')).toMatchObject({ state: 'MISS' });
});

describe('one flight', () => {
  function createLanding() {
    let finish = (_result: Result) => {};
    let fail = (_error: Error) => {};
    let stopped: AbortSignal | undefined;
    let runs = 0;
    const compute = (signal: AbortSignal) => {
      runs += 1;
      stopped = signal;
      return new Promise<Result>((resolve, reject) => {
        finish = resolve;
        fail = reject;
      });
    };
    return {
      compute,
      finish: () => finish(resultOf('[]')),
      fail: (error: Error) => fail(error),
      isStopped: () => stopped?.aborted,
      runs: () => runs,
    };
  }

  test('serves all that ask meanwhile', async () => {
    const { cache } = createFixture();
    const { compute, finish, runs } = createLanding();
    const answers = [1, 2, 3].map(() => cache.read(requestFor(), compute));
    finish();
    const states = (await Promise.all(answers)).map(({ state }) => state);
    expect(states).toEqual(['MISS', 'HIT', 'HIT']);
    expect(runs()).toBe(1);
  });

  test('fails all that wait, and the failure is not kept', async () => {
    const { cache, read } = createFixture();
    const { compute, fail } = createLanding();
    const answers = [1, 2].map(() => cache.read(requestFor(), compute));
    fail(new Error('no'));
    const settled = await Promise.allSettled(answers);
    expect(settled.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
    expect(await read()).toMatchObject({ state: 'MISS' });
  });

  test('goes on while one caller is left, and stops when the last one goes', async () => {
    const { cache, read } = createFixture();
    const { compute, isStopped } = createLanding();
    const [one, two] = [new AbortController(), new AbortController()];
    const answers = [one, two].map(({ signal }) => cache.read(requestFor({ signal }), compute));
    one.abort();
    await expect(answers[0]).rejects.toThrow('abort');
    expect(isStopped()).toBe(false);
    two.abort();
    await expect(answers[1]).rejects.toThrow('abort');
    expect(isStopped()).toBe(true);
    expect(await read()).toMatchObject({ state: 'MISS' });
  });
});
