import { describe, expect, test } from 'vitest';
import { createFixture, createLanding, requestFor, statement } from '../support/cache-fixture.js';

test('a hundred equal requests compute once', async () => {
  const { cache, wait } = createFixture();
  const { compute, finish, runs } = createLanding();
  const answers = Array.from({ length: 100 }, () => cache.read(requestFor(), compute));
  await wait(5000);
  await finish();
  const all = await Promise.all(answers);
  expect(runs()).toBe(1);
  expect(all.map(({ state }) => state)).toEqual(['MISS', ...Array(99).fill('HIT')]);
  // The age counts from when the rows were computed, not from when this request began to wait.
  expect(new Set(all.map(({ ageSeconds }) => ageSeconds))).toEqual(new Set([0]));
});

test('requests that differ do not wait for each other', async () => {
  const { cache } = createFixture();
  const { compute, runs } = createLanding();
  for (const p_a of ['x', 'y']) {
    void cache.read(requestFor({ statement: { ...statement, values: { p_a } } }), compute);
  }
  expect(runs()).toBe(2);
});

test('a failure reaches all waiters and is not cached', async () => {
  const { cache, read } = createFixture();
  const { compute, fail } = createLanding();
  const answers = [1, 2].map(() => cache.read(requestFor(), compute));
  const settled = Promise.allSettled(answers);
  await fail(new Error('no'));
  expect((await settled).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  expect(await read()).toMatchObject({ state: 'MISS' });
});

test('a computation goes on while a waiter is left, and stops when the last one leaves', async () => {
  const { cache, read } = createFixture();
  const { compute, isStopped, finish } = createLanding();
  const [one, two] = [new AbortController(), new AbortController()];
  const answers = [one, two].map(({ signal }) => cache.read(requestFor({ signal }), compute));
  one.abort();
  await expect(answers[0]).rejects.toThrow('abort');
  expect(isStopped()).toBe(false);
  two.abort();
  await expect(answers[1]).rejects.toThrow('abort');
  expect(isStopped()).toBe(true);
  // A result that still arrives is not cached.
  await finish();
  expect(await read()).toMatchObject({ state: 'MISS' });
});

test('a caller who joins as the last waiter leaves keeps the computation going', async () => {
  const { cache } = createFixture();
  const { compute, isStopped, finish, runs } = createLanding();
  const gone = new AbortController();
  const left = expect(cache.read(requestFor({ signal: gone.signal }), compute)).rejects.toThrow();
  gone.abort();
  const answer = cache.read(requestFor(), compute);
  await left;
  await finish();
  expect(await answer).toMatchObject({ state: 'HIT' });
  expect([isStopped(), runs()]).toEqual([false, 1]);
});

test('a caller who comes after the last waiter has left starts a new computation', async () => {
  const { cache, read } = createFixture();
  const { compute } = createLanding();
  const gone = new AbortController();
  const answer = cache.read(requestFor({ signal: gone.signal }), compute);
  gone.abort();
  await expect(answer).rejects.toThrow('abort');
  expect(await read()).toMatchObject({ state: 'MISS' });
});

test('a caller whose signal has fired already starts nothing', async () => {
  const { cache } = createFixture();
  const { compute, runs } = createLanding();
  const signal = AbortSignal.abort();
  await expect(cache.read(requestFor({ signal }), compute)).rejects.toThrow('abort');
  expect(runs()).toBe(0);
});

describe('a caller', () => {
  /** Computations that are queued until `begin` is called; `runs` counts them. */
  function createTurns() {
    const turns: (() => void)[] = [];
    const { compute, finish, runs } = createLanding();
    const run = (signal: AbortSignal, onStart: () => void) => {
      turns.push(onStart);
      return compute(signal);
    };
    return { run, finish, runs, begin: (place: number) => turns[place]?.() };
  }

  test("does not wait in another's queue", async () => {
    const { cache } = createFixture();
    const { run, finish, runs } = createTurns();
    const answers = ['a', 'b', 'a', 'b'].map((caller) => cache.read(requestFor({ caller }), run));
    expect(runs()).toBe(2);
    await finish('[1]');
    await finish('[2]');
    const texts = (await Promise.all(answers)).map(({ result }) =>
      Buffer.from(result.body).toString(),
    );
    expect(texts).toEqual(['[1]', '[2]', '[1]', '[2]']);
  });

  test("joins another's computation that has started", async () => {
    const { cache } = createFixture();
    const { run, begin, finish, runs } = createTurns();
    const first = cache.read(requestFor({ caller: 'a' }), run);
    begin(0);
    const second = cache.read(requestFor({ caller: 'b' }), run);
    await finish();
    expect((await Promise.all([first, second])).map(({ state }) => state)).toEqual(['MISS', 'HIT']);
    expect(runs()).toBe(1);
  });
});
