import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { unbound } from '../../src/endpoint/scope.js';
import type { RunEndpoint } from '../../src/run/run-endpoint.js';
import type { RunRequest } from '../../src/run/run-request.js';
import { createFollowTable } from '../../src/run/tail.js';

beforeEach(
  () => void vi.useFakeTimers({ now: Date.parse('2026-03-10T12:00:00Z'), toFake: ['Date'] }),
);
afterEach(() => void vi.useRealTimers());

const fields = [{ name: 'timestamp', type: 'TIMESTAMP', mode: 'NULLABLE' }];

/** A tail over a fake hallway; `serve` serves another version with these rows, newest first. */
function open() {
  const runs: RunRequest[] = [];
  const waiting = new Set<() => void>();
  let rows: readonly number[] = [1];
  let version = '1';
  const stop = new AbortController();
  const runEndpoint = (async (run: RunRequest) => {
    runs.push(run);
    const objects = rows.map((micros) => `{"timestamp":${micros}}`);
    return { result: { body: Buffer.from(`[${objects}]`) } };
  }) as unknown as RunEndpoint;
  const serving = {
    get version() {
      return version;
    },
    untilReplaced: (signal: AbortSignal) =>
      new Promise<void>((resolve) => {
        waiting.add(resolve);
        signal.addEventListener('abort', () => resolve());
      }),
  };
  const catalog = { find: () => ({ name: 'logs.all', sandbox: true }) };
  const tables = [{ name: 'edge_logs', schema: { fields } }];
  const describeEndpoints = async () => [{ name: 'logs.all', tables }];
  const services = { catalog, serving, describeEndpoints, runEndpoint };
  const follow = createFollowTable(services as never);
  const events = follow({
    endpoint: 'logs.all',
    parameters: new Map(),
    clock: { now: '2026-03-10T11:00:00.000000+00:00', fixed: true },
    redact: true,
    signal: stop.signal,
    caller: '7',
    scope: unbound,
    source: 'edge_logs',
    filter: 'word',
    from: undefined,
  });
  const serve = (next: readonly number[]) => {
    rows = next;
    version += '1';
    for (const wake of waiting) wake();
  };
  return { events, runs, serve, stop };
}

test('it runs as a query of the caller, and only when other data are served', async () => {
  const { events, runs, serve } = open();
  expect((await events.next()).value).toMatchObject({ rows: [], hasGap: false });
  const next = events.next();
  await new Promise(setImmediate);
  expect(runs).toHaveLength(1);
  serve([2, 1]);
  expect((await next).value).toMatchObject({ rows: ['{"timestamp":2}'] });
  expect(runs[1]).toMatchObject({
    caller: '7',
    redact: true,
    maxRows: 200,
    sandbox: {
      language: 'lql',
      text: `f:edge_logs s:* t:>=1970-01-01T00:00:00Z t:<=2026-03-10T12:01:00Z\nword`,
    },
  });
});

test('a record with a wrong time in the future does not hide those that follow', async () => {
  const { events, runs } = open();
  await events.next();
  expect(runs[0]?.sandbox?.text).toBe('f:edge_logs s:* t:<=2026-03-10T12:01:00Z\nword');
});

test('its signal stops the run, and ends it', async () => {
  const { events, runs, stop } = open();
  await events.next();
  const next = events.next();
  stop.abort();
  expect(await next).toEqual({ done: true, value: undefined });
  expect(runs.every(({ signal }) => signal.aborted)).toBe(true);
});
