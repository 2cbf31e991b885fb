import { expect, test } from 'vitest';
import { ServiceError } from '../../src/errors/errors.js';
import { createNewest } from '../../src/newest/newest.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { createFakeEngine } from '../support/fake-engine.js';

const source: SourceSchema = {
  name: 'app_logs',
  columns: [{ name: 'timestamp', type: { kind: 'TIMESTAMP' }, stored: true }],
  parts: [{ file: 'a.duckdb', view: 'app_logs/0' }],
};

function open(sources: readonly SourceSchema[], maxBytes = 1_000_000) {
  const failures: unknown[] = [];
  const error = new ServiceError('internalError', 'no');
  let runs = 0;
  const engine = createFakeEngine(() => {
    runs += 1;
    return error;
  });
  const newest = createNewest({
    maxBytes,
    maxResultBytes: 1_000_000,
    onFailure: (...failure) => failures.push(failure),
  });
  const readMore = (signal = new AbortController().signal) =>
    newest.readMore({ engine, sources }, signal);
  return { readMore, failures, error, runs: () => runs };
}

test('a part that cannot be read is given up after three attempts, and its source is named', async () => {
  const { readMore, failures, error, runs } = open([source]);
  expect([await readMore(), await readMore()]).toEqual([true, true]);
  expect(failures).toEqual([]);
  expect([await readMore(), await readMore()]).toEqual([true, false]);
  expect(failures).toEqual([['app_logs', error]]);
  expect(runs()).toBe(3);
});

test('an attempt that is stopped does not count', async () => {
  const { readMore, failures } = open([source]);
  for (let attempt = 0; attempt < 4; attempt += 1) await readMore(AbortSignal.abort());
  expect(failures).toEqual([]);
  expect(await readMore()).toBe(true);
});

test('without memory nothing is read', async () => {
  const { readMore, runs } = open([source], 0);
  expect(await readMore()).toBe(false);
  expect(runs()).toBe(0);
});

test('records that are shown at other times are not read', async () => {
  const { readMore, runs } = open([{ ...source, seenAsNow: 0 }]);
  expect(await readMore()).toBe(false);
  expect(runs()).toBe(0);
});
