import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import { tailStream } from '../../src/http/tail-stream.js';
import type { TailEvent } from '../../src/run/tail.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const position = { newest: 5n, floor: 5n, known: new Map([['0123456789ab', 5n]]) };
const event = (...rows: readonly string[]): TailEvent => ({ rows, hasGap: false, position });
const printed = (...rows: readonly string[]) =>
  `id: 5.0123456789ab\nevent: rows\ndata: {"result":[${rows}]}\n\n`;

/** A stream over these events, which waits for ever after the last one. */
function open(events: readonly (TailEvent | Error)[]) {
  const stop = new AbortController();
  const { signal } = stop;
  const failures: number[] = [];
  let read = 0;
  const untilStopped = new Promise<void>((resolve) => {
    signal.addEventListener('abort', () => resolve());
  });
  async function* follow() {
    for (const one of events) {
      if (one instanceof Error) throw one;
      read += 1;
      yield one;
    }
    await untilStopped;
  }
  const onFailure = (_error: unknown, status: number) => void failures.push(status);
  const opened = { first: event(), events: follow(), stop, signal, requestId: 'r1', onFailure };
  const reader = tailStream(opened).pipeThrough(new TextDecoderStream()).getReader();
  const next = async () => (await reader.read()).value;
  return { next, stop, failures, cancel: () => reader.cancel(), read: () => read };
}

test('a comment comes every 15 seconds, also between events', async () => {
  const { next } = open([event('1')]);
  expect([await next(), await next()]).toEqual([printed(), printed('1')]);
  for (let n = 0; n < 3; n++) {
    const beat = next();
    await vi.advanceTimersByTimeAsync(15_000);
    expect(await beat).toBe(': still here\n\n');
  }
});

test('while nobody reads, events are not made, and comments do not pile up', async () => {
  const { next, read } = open(Array.from({ length: 100 }, (_, n) => event(String(n))));
  await vi.advanceTimersByTimeAsync(3_600_000);
  expect(read()).toBeLessThan(5);
  expect([await next(), await next()]).toEqual([printed(), printed('0')]);
});

test('a gap comes before its rows', async () => {
  const { next } = open([{ ...event('1'), hasGap: true }]);
  await next();
  expect(await next()).toBe(`event: gap\ndata: {}\n\n${printed('1')}`);
});

test('a failure is the last event, and is reported', async () => {
  const { next, failures, stop } = open([new ServiceError('timeout', 'too long')]);
  await next();
  expect(await next()).toMatch(
    /^event: error\ndata: \{"error":\{"code":504,.*"requestId":"r1"\}\}\n\n$/,
  );
  expect(await next()).toBeUndefined();
  expect([failures, stop.signal.aborted]).toEqual([[504], true]);
});

test('an internal failure shows nothing of itself', async () => {
  const { next, failures } = open([new Error('secret')]);
  await next();
  expect(await next()).not.toContain('secret');
  expect(failures).toEqual([500]);
});

test('its signal ends the stream, and the end of the stream fires its signal', async () => {
  const stopped = open([]);
  await stopped.next();
  stopped.stop.abort();
  expect(await stopped.next()).toBeUndefined();
  const cancelled = open([]);
  await cancelled.next();
  await cancelled.cancel();
  expect(cancelled.stop.signal.aborted).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});
