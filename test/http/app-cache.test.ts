import { expect, test } from 'vitest';
import type { Engine, Result } from '../../src/engine/engine.js';
import { ServiceError } from '../../src/errors/errors.js';
import { createFixture, errorOf, path } from '../support/app-fixture.js';
import { settle } from '../support/clock.js';

const counts = '/api/endpoints/query/usage.api-counts?project=acme';

const timings = { queueMs: 7, engineMs: 8, encodeMs: 9 };

/** The engine's result; its rows contain the instant at which they were computed. */
const rowsOf: Engine['run'] = async ({ values: { now } }) => {
  const json = Buffer.from(JSON.stringify([{ at: now }]));
  return { format: 'json', body: json, rowCount: 1, truncated: false, timings };
};

async function factsOf(response: Response) {
  const { headers, status } = response;
  const [state, age, left] = ['x-cache', 'age', 'cache-control'].map((name) => headers.get(name));
  return { status, state, age, left, timing: headers.get('server-timing')?.split(', ').slice(1) };
}

const spent = ['queue;dur=7', 'engine;dur=8', 'encode;dur=9'];
const unspent = ['queue;dur=0', 'engine;dur=0', 'encode;dur=0'];

test('cached rows carry their age, and a caller who has them gets 304', async () => {
  const { send, wait } = createFixture({ run: rowsOf });
  const first = await send(counts);
  expect(await factsOf(first)).toEqual({
    ...{ status: 200, state: 'MISS', age: null, left: 'private, max-age=900', timing: spent },
  });
  await wait(299_000);
  const kept = { state: 'HIT', age: '299', left: 'private, max-age=601', timing: unspent };
  const second = await send(counts);
  expect(await factsOf(second)).toEqual({ status: 200, ...kept });
  const etag = first.headers.get('etag') ?? '';
  expect([second.headers.get('etag'), await second.text()]).toEqual([etag, await first.text()]);
  const third = await send(counts, { headers: { 'if-none-match': etag } });
  expect(await factsOf(third)).toEqual({ status: 304, ...kept });
  expect(await third.text()).toBe('');
});

test('rows are renewed at the instant of the renewal, and their age restarts', async () => {
  const { send, wait } = createFixture({ run: rowsOf });
  const first = await send(counts);
  await wait(301_000);
  const second = await send(counts);
  expect(await factsOf(second)).toMatchObject({ state: 'HIT', age: '1' });
  expect(await second.json()).toEqual({ result: [{ at: 'renewed at 300000' }] });
  expect(second.headers.get('etag')).not.toBe(first.headers.get('etag'));
});

test('at a fixed instant rows are renewed at that instant', async () => {
  const { send, wait } = createFixture({ run: rowsOf, fixedNow: 'T' });
  const first = await send(counts);
  await wait(301_000);
  const second = await send(counts);
  expect(await factsOf(second)).toMatchObject({ state: 'HIT', age: '1' });
  expect(await second.json()).toEqual({ result: [{ at: 'T' }] });
  expect(second.headers.get('etag')).toBe(first.headers.get('etag'));
});

test('when a renewal fails the old rows are STALE until they expire', async () => {
  let fails = false;
  const run: Engine['run'] = async (...asked) => {
    if (fails) throw new Error('no');
    return rowsOf(...asked);
  };
  const { send, wait, lines } = createFixture({ run });
  await send(counts);
  fails = true;
  await wait(301_000);
  const stale = { state: 'STALE', age: '301', left: 'private, max-age=599', timing: unspent };
  expect(await factsOf(await send(counts))).toEqual({ status: 200, ...stale });
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ cache: 'STALE', engineMs: 0, rows: 1 });
  await wait(599_000);
  expect((await send(counts)).status).toBe(500);
});

test.each([
  ['of their own', `${counts}&sql=select+1`],
  ['to an endpoint that does not cache', `${path}?project=acme`],
])('queries of callers %s are not renewed', async (_what, url) => {
  const { send, wait, statements } = createFixture({ run: rowsOf });
  await send(url);
  const before = statements.length;
  await wait(899_000);
  expect(statements).toHaveLength(before);
});

test("callers' queries are cached by their text", async () => {
  const { send } = createFixture({ run: rowsOf });
  const stateOf = async (query: string) =>
    (await send(`${counts}&${query}`)).headers.get('x-cache');
  expect(await stateOf('sql=select+1')).toBe('MISS');
  expect(await stateOf('sql=select+1')).toBe('HIT');
  expect(await stateOf('sql=select+2')).toBe('MISS');
  expect(await stateOf('')).toBe('MISS');
});

test('a hundred equal requests check their pattern once and run one query', async () => {
  const waiting: (() => void)[] = [];
  const run: Engine['run'] = (...asked) =>
    new Promise<Result>((resolve) => waiting.push(() => resolve(rowsOf(...asked))));
  const { send, statements } = createFixture({ run });
  const answers = Array.from({ length: 100 }, () => send(counts));
  for (let step = 0; step < 2; step += 1) {
    await settle();
    for (const finish of waiting.splice(0)) finish();
  }
  const responses = await Promise.all(answers);
  expect(new Set(responses.map(({ status }) => status))).toEqual(new Set([200]));
  expect(statements).toHaveLength(2);
});

test('callers who wrote one query in two languages get the fault located in their own', async () => {
  const run: Engine['run'] = async (...asked) => {
    if ('p_pattern' in asked[0].values) return rowsOf(...asked);
    await settle();
    throw new ServiceError('invalidQuery', 'division by zero');
  };
  const { send } = createFixture({ run });
  const responses = await Promise.all(['sql', 'lql'].map((name) => send(`${counts}&${name}=x`)));
  const faults = await Promise.all(responses.map(errorOf));
  expect(faults.map(({ errors }) => errors[0].location)).toEqual(['sql', 'lql']);
});
