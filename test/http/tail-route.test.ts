import { expect, test } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import { createTailSlots } from '../../src/http/tail-slots.js';
import type { FollowTable, TailEvent, TailRequest } from '../../src/run/tail.js';
import { startPosition } from '../../src/run/tail-position.js';
import { createFixture, errorOf, token } from '../support/app-fixture.js';

const tail = '/api/tail/logs.all?project=a&source=edge_logs';
const first: TailEvent = { rows: [], hasGap: false, position: startPosition([], 200) };

/** An app whose tails have one event, then fail or wait for their end. */
function open({ failure }: { readonly failure?: Error } = {}) {
  const slots = createTailSlots();
  const requests: TailRequest[] = [];
  const follow: FollowTable = async function* (request) {
    requests.push(request);
    yield first;
    if (failure !== undefined) throw failure;
    await new Promise((resolve) => request.signal.addEventListener('abort', resolve));
  };
  return { ...createFixture({ tails: { follow, slots } }), slots, requests };
}

test('when the server drains, tails end and new ones are refused', async () => {
  const { send, inFlight, slots, requests } = open();
  const opened = await send(tail);
  expect(slots.open).toBe(1);
  await inFlight.drain();
  expect(await opened.text()).toBe('id: 0\nevent: rows\ndata: {"result":[]}\n\n');
  expect([slots.open, requests[0]?.signal.aborted]).toEqual([0, true]);
  expect((await send(tail)).status).toBe(503);
  expect(slots.open).toBe(0);
});

test('a client that goes away gives back its place', async () => {
  const { send, slots, requests } = open();
  const { body } = await send(tail);
  await body?.cancel();
  expect([slots.open, requests[0]?.signal.aborted]).toEqual([0, true]);
});

test('so does one that had gone before the tail began', async () => {
  const { send, slots } = open();
  await send(tail, { signal: AbortSignal.abort() });
  expect(slots.open).toBe(0);
});

test('a failure has a line in the log, with the id of the request', async () => {
  const { send, lines, slots } = open({ failure: new Error('a bug') });
  const answer = await send(tail, { headers: { 'x-request-id': 'tail-1' } });
  expect(await answer.text()).toContain('event: error\ndata: {"error":{"code":500');
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([
    { requestId: 'tail-1', status: 200, endpoint: 'logs.all' },
    { requestId: 'tail-1', status: 500, endpoint: 'logs.all' },
  ]);
  expect(lines.join()).not.toContain(token);
  expect(slots.open).toBe(0);
});

test('a tail that cannot begin is refused, and gives back its place', async () => {
  const slots = createTailSlots();
  const refusal = new ServiceError('invalid', 'no such source', { location: 'source' });
  // biome-ignore lint/correctness/useYield: it fails before its first event
  const follow: FollowTable = async function* () {
    throw refusal;
  };
  const { send } = createFixture({ tails: { follow, slots } });
  expect((await errorOf(await send(tail))).message).toBe('no such source');
  expect(slots.open).toBe(0);
});

test('there are 32 places, four of them for a token', () => {
  const slots = createTailSlots();
  for (let n = 0; n < 32; n++) slots.take(String(n % 8));
  expect(() => slots.take('0')).toThrow('The token has 4 tails open');
  expect(() => slots.take('9')).toThrow('The server has 32 tails open');
});

test('without --watch there are no tails', async () => {
  const { send } = createFixture();
  expect((await errorOf(await send(tail))).message).toContain('--watch');
});
