import { describe, expect, test } from 'vitest';
import type { CacheRequest } from '../../src/cache/cache.js';
import {
  createFixture,
  createLanding,
  requestFor,
  resultOf,
  statement,
} from '../support/cache-fixture.js';

test('a result is cached for its time to live and no longer', async () => {
  const { read, wait, runs } = createFixture();
  expect(await read()).toMatchObject({ state: 'MISS', ageSeconds: 0, secondsLeft: 60 });
  await wait(59_999);
  expect(await read()).toMatchObject({ state: 'HIT', ageSeconds: 59, secondsLeft: 1 });
  await wait(1);
  expect(await read()).toMatchObject({ state: 'MISS', ageSeconds: 0, secondsLeft: 60 });
  expect(runs()).toBe(2);
});

describe('an endpoint that does not cache', () => {
  const uncached = (more: Partial<CacheRequest> = {}) => requestFor({ ttlSeconds: 0, ...more });

  test('a statement that is repeated over the same data is not run again, and nobody can tell', async () => {
    const { cache, read, runs, setVersion, wait } = createFixture();
    const first = await read(uncached());
    expect(first).toMatchObject({ state: 'BYPASS', ageSeconds: 0, secondsLeft: 0 });
    await wait(1e9);
    const again = await read(uncached());
    expect({ ...again, result: { ...again.result, timings: first.result.timings } }).toEqual(first);
    expect(again.result.timings).toEqual({ queueMs: 0, engineMs: 0, encodeMs: 0 });
    expect([runs(), cache.stats().entries]).toEqual([1, 0]);
    setVersion('2');
    await read(uncached({ dataVersion: '2' }));
    expect(runs()).toBe(2);
  });

  test('concurrent equal requests run once, but not if their rows differ each time', async () => {
    for (const isRepeatable of [true, false]) {
      const { read, runs } = createFixture();
      const request = uncached({ isRepeatable });
      const answers = await Promise.all([read(request), read(request)]);
      expect(answers.map(({ state }) => state)).toEqual(['BYPASS', 'BYPASS']);
      expect(runs()).toBe(isRepeatable ? 1 : 2);
    }
  });

  test.each<[string, Partial<CacheRequest>]>([
    ['another text', { statement: { ...statement, sql: 'select 2' } }],
    ['another value', { statement: { ...statement, values: { p_a: 'y' } } }],
    ['another limit', { statement: { ...statement, maxRows: 11 } }],
    ['another format', { statement: { ...statement, format: 'csv' } }],
    ['redacted', { statement: { ...statement, redact: true } }],
    ['another scope', { scope: 'other' }],
    ['another endpoint', { endpoint: 'f' }],
    ['rows that differ each time', { isRepeatable: false }],
  ])('is run for %s', async (_what, more) => {
    const { read, runs } = createFixture();
    await read(uncached());
    await read(uncached(more));
    await read(uncached({ ...more, isRepeatable: false }));
    expect(runs()).toBe(3);
  });

  test('an error is not kept; the least recently used result goes first; with 0 bytes none is kept', async () => {
    const { cache, read, runs } = createFixture({ maxKeptBytes: 10_000 });
    const fails = () => Promise.reject(new Error('no'));
    await expect(cache.read(uncached(), fails)).rejects.toThrow('no');
    const request = (sql: string) => uncached({ statement: { ...statement, sql } });
    for (const sql of ['1', '2', '1', '3', '1', '2']) await read(request(sql), 'x'.repeat(900));
    expect(runs()).toBe(4);
    const off = createFixture({ maxKeptBytes: 0 });
    for (let round = 0; round < 2; round += 1) await off.read(uncached());
    expect(off.runs()).toBe(2);
  });
});

const atNoon = { ...statement, values: { p_a: 'x', now: '12:00' } };
const atOne = { ...statement, values: { p_a: 'x', now: '13:00' } };

test.each<[string, Partial<CacheRequest>, Partial<CacheRequest>, string]>([
  ['the same', {}, {}, 'HIT'],
  ['another text', {}, { statement: { ...statement, sql: 'select 2' } }, 'MISS'],
  ['another project', {}, { statement: { ...statement, values: { p_a: 'y' } } }, 'MISS'],
  ['no value', {}, { statement: { ...statement, values: { p_a: null } } }, 'MISS'],
  ['a value of another name', {}, { statement: { ...statement, values: { p_b: 'x' } } }, 'MISS'],
  ['another limit', {}, { statement: { ...statement, maxRows: 11 } }, 'MISS'],
  ['redacted after plain', {}, { statement: { ...statement, redact: true } }, 'MISS'],
  ['plain after redacted', { statement: { ...statement, redact: true } }, {}, 'MISS'],
  ['a caller’s own', {}, { statement: { ...statement, readsOwnRows: true } }, 'MISS'],
  ['another endpoint', {}, { endpoint: 'f' }, 'MISS'],
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

test('the size is bounded, and the least recently used result is evicted first', async () => {
  const { read, cache } = createFixture({ maxBytes: 10_000 });
  const request = (sql: string) => requestFor({ statement: { ...statement, sql } });
  const text = 'x'.repeat(900);
  for (const sql of ['a', 'b', 'a', 'c']) await read(request(sql), text);
  expect(await read(request('a'), text)).toMatchObject({ state: 'HIT' });
  expect(await read(request('b'), text)).toMatchObject({ state: 'MISS' });
  expect(cache.stats()).toMatchObject({ entries: 2 });
  expect(cache.stats().bytes).toBeLessThanOrEqual(10_000);
});

test('rows that do not fit are returned but not cached', async () => {
  const { read, cache, clock } = createFixture({ maxBytes: 3500 });
  const warming = { warmSeconds: 10, renew: async () => resultOf('x') };
  const text = 'x'.repeat(3000);
  expect(await read(requestFor({ warming }), text)).toMatchObject({ state: 'MISS' });
  expect(await read(requestFor({ warming }), 'x')).toMatchObject({ state: 'MISS' });
  expect([cache.stats().entries, clock.planned()]).toEqual([1, 1]);
});

test('rows that are a view keep only their own bytes in memory', async () => {
  const { cache } = createFixture();
  const body = new Uint8Array(65_536).fill(97).subarray(100, 103);
  const compute = async () => ({ ...resultOf(''), body });
  const { result } = await cache.read(requestFor(), compute);
  expect(Buffer.from(result.body).toString()).toBe('aaa');
  expect(result.body.buffer.byteLength).toBe(3);
});

test('the values that a renewal keeps count towards the size', async () => {
  const warming = { warmSeconds: 10, renew: async () => resultOf('x') };
  const large = { ...statement, values: { p_a: 'x'.repeat(10_000) } };
  const sizeOf = async (more: Partial<CacheRequest>) => {
    const { read, cache } = createFixture();
    await read(requestFor(more));
    return cache.stats().bytes;
  };
  expect(await sizeOf({ statement: large })).toBe(await sizeOf({}));
  expect(await sizeOf({ statement: large, warming })).toBeGreaterThan(20_000);
});

test('new data makes cached results unreachable and frees them', async () => {
  const { read, cache, setVersion } = createFixture();
  await read();
  setVersion('2');
  expect(cache.stats()).toMatchObject({ entries: 0, bytes: 0 });
  expect(await read(requestFor({ dataVersion: '2' }))).toMatchObject({ state: 'MISS' });
  expect(await read(requestFor({ dataVersion: '2' }))).toMatchObject({ state: 'HIT' });
});

test('new data leaves the results of other sources', async () => {
  const { read, cache, setVersion } = createFixture();
  await read();
  const other = requestFor({ scope: 'other', reads: ['other'] });
  await read(other);
  setVersion('2');
  expect(cache.stats().entries).toBe(1);
  expect(await read(other)).toMatchObject({ state: 'HIT' });
  expect(await read(requestFor({ dataVersion: '2' }))).toMatchObject({ state: 'MISS' });
});

test('a result computed while the data changes is returned but not cached', async () => {
  const { read, cache, setVersion } = createFixture();
  const { compute, finish } = createLanding();
  const answer = cache.read(requestFor(), compute);
  setVersion('2');
  await finish();
  expect(await answer).toMatchObject({ state: 'MISS' });
  expect(cache.stats().entries).toBe(0);
  expect(await read(requestFor({ dataVersion: '2' }))).toMatchObject({ state: 'MISS' });
  setVersion('1');
  expect(await read()).toMatchObject({ state: 'MISS' });
});

test('the bodies in which a result was sent are kept with it', async () => {
  const { read, setVersion } = createFixture();
  const { sent } = await read();
  sent.set('gzip', Promise.resolve({ bytes: new Uint8Array(1), etag: '"1"' }));
  expect((await read()).sent).toBe(sent);
  expect((await read(requestFor({ scope: 'other' }))).sent.size).toBe(0);
  setVersion('2');
  expect((await read(requestFor({ dataVersion: '2' }))).sent.size).toBe(0);
});
