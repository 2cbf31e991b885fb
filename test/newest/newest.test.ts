import {
  appendFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Engine, Statement } from '../../src/engine/engine.js';
import { ServiceError } from '../../src/errors/errors.js';
import type { WrittenRows } from '../../src/newest/kept-rows.js';
import { createNewest, type NewestOptions } from '../../src/newest/newest.js';
import { writeRows } from '../../src/newest/write-rows.js';
import type { SourceSchema } from '../../src/types/schema.js';
import { createFakeEngine } from '../support/fake-engine.js';
import { engineOver, source as plain } from './fake-part.js';

let folder = '';
let source: SourceSchema = plain;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'newest-test-'));
  source = { ...plain, parts: [{ file: join(folder, 'a.duckdb'), view: 'app_logs/0' }] };
});
afterEach(() => rmSync(folder, { recursive: true }));

const error = new ServiceError('internalError', 'no');
const never = new AbortController().signal;

function open(engine: Engine, more: Partial<NewestOptions> = {}) {
  const failures: unknown[] = [];
  const newest = createNewest({
    maxBytes: 1_000_000,
    maxResultBytes: 1_000_000,
    writeLarge: (job, watch) => writeRows(engine, job, watch),
    onFailure: (...failure) => failures.push(failure),
    ...more,
  });
  const keepNext = (sources = [source], signal = never) =>
    newest.keepNext({ engine, sources }, signal);
  const keepAll = async (sources = [source]) => {
    while (await keepNext(sources));
    while (newest.stats().waiting > 0) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  return { newest, keepNext, keepAll, failures };
}

function failing() {
  let runs = 0;
  const engine = createFakeEngine(() => {
    runs += 1;
    return error;
  });
  return { engine, runs: () => runs };
}

const rowsOf = (count: number) =>
  Array.from({ length: count }, (_, time) => ({ time, project: `p${time % 2}` }));

const request: Statement = {
  sql: '',
  values: {},
  tables: [],
  maxRows: 3,
  newest: {
    source: 'app_logs',
    project: 'p1',
    bounds: [],
    columns: [{ name: 'at', column: 'timestamp' }],
  },
};

/** What a request is answered with, if no statement is run for it. */
async function ask(newest: ReturnType<typeof createNewest>, sources = [source]) {
  const { engine } = failing();
  const answering = newest.answering({ engine, sources });
  const result = await answering.run(request, { signal: never }).catch(() => undefined);
  return result && Buffer.from(result.body).toString();
}

test('a part that cannot be read is given up after three attempts, and its source is named', async () => {
  const { engine, runs } = failing();
  const { keepNext, failures } = open(engine);
  expect([await keepNext(), await keepNext()]).toEqual([true, true]);
  expect(failures).toEqual([]);
  expect([await keepNext(), await keepNext()]).toEqual([true, false]);
  expect(failures).toEqual([['app_logs', error]]);
  expect(runs()).toBe(3);
});

test('an attempt that is stopped does not count', async () => {
  const { keepNext, failures } = open(failing().engine);
  for (let attempt = 0; attempt < 4; attempt += 1) await keepNext([source], AbortSignal.abort());
  expect(failures).toEqual([]);
});

test('without space nothing is read', async () => {
  const { engine, runs } = failing();
  const { keepNext } = open(engine, { maxBytes: 0 });
  expect(await keepNext()).toBe(false);
  expect(runs()).toBe(0);
});

test('records that are shown at other times are not read', async () => {
  const { engine, runs } = failing();
  const { keepNext } = open(engine);
  expect(await keepNext([{ ...source, seenAsNow: 0 }])).toBe(false);
  expect(runs()).toBe(0);
});

test.each([
  ['small', 10],
  ['large', 6_000],
])('a %s part is written once, and found by another process', async (_, count) => {
  const first = open(engineOver(rowsOf(count)));
  await first.keepAll();
  const answer = `[{"at":${count - 1}},{"at":${count - 3}},{"at":${count - 5}}]`;
  expect(await ask(first.newest)).toBe(answer);
  expect(first.newest.stats().bytes).toBeGreaterThan(0);
  const second = open(failing().engine);
  await second.keepAll();
  expect(await ask(second.newest)).toBe(answer);
  expect(second.newest.stats()).toEqual(first.newest.stats());
});

test('rows are found although their file was renamed before the server heard of them', async () => {
  const engine = engineOver(rowsOf(6_000));
  const late: WrittenRows[] = [];
  const { newest, keepAll } = open(engine, {
    writeLarge: async (job, { signal, onWritten }) => {
      await writeRows(engine, job, { signal, onWritten: (written) => void late.push(written) });
      for (const written of late) onWritten(written);
    },
  });
  await keepAll();
  expect(late.length).toBeGreaterThan(1);
  expect(await ask(newest)).toBe('[{"at":5999},{"at":5997},{"at":5995}]');
});

test('more rows than are answered at once are left to the engine', async () => {
  const { newest, keepAll } = open(engineOver(rowsOf(6_000)));
  await keepAll();
  const asked = (more: Partial<Statement>, limit?: number) => {
    const wanted = { ...request.newest, ...(limit && { limit }) } as Statement['newest'];
    return newest
      .answering({ engine: failing().engine, sources: [source] })
      .run({ ...request, ...more, newest: wanted } as Statement, { signal: never })
      .then(({ rowCount, truncated }) => [rowCount, truncated])
      .catch(() => undefined);
  };
  expect(await asked({ maxRows: 10_000 })).toBeUndefined();
  expect(await asked({ maxRows: 10_000 }, 2_500)).toBeUndefined();
  expect(await asked({ maxRows: 10_000 }, 1_500)).toEqual([1_500, false]);
  expect(await asked({ maxRows: 1_999 })).toEqual([1_999, true]);
});

test('large rows are left to the engine', async () => {
  const message = 'x'.repeat(500_000);
  const rows = Array.from({ length: 20 }, (_, time) => ({ time, project: 'p1', message }));
  const { newest, keepAll } = open(engineOver(rows), { maxBytes: 1e9 });
  await keepAll();
  expect(await ask(newest)).toBe('[{"at":19},{"at":18},{"at":17}]');
  const all = newest.answering({ engine: failing().engine, sources: [source] });
  await expect(all.run({ ...request, maxRows: 20 }, { signal: never })).rejects.toThrow('no');
});

test('an answer of too many values or bytes is left to the engine', async () => {
  const message = 'x'.repeat(50_000);
  const rows = Array.from({ length: 10 }, (_, time) => ({ time, project: 'p1', message }));
  const { newest, keepAll } = open(engineOver(rows), { maxBytes: 1e9, maxResultBytes: 1e9 });
  await keepAll();
  const answering = newest.answering({ engine: failing().engine, sources: [source] });
  const ask = (column: string, times: number) => {
    const columns = Array.from({ length: times }, (_, index) => ({ name: `c${index}`, column }));
    const wanted = { source: 'app_logs', project: 'p1', bounds: [], columns };
    const statement = { ...request, maxRows: 10, newest: wanted };
    return answering.run(statement, { signal: never }).then(({ rowCount }) => rowCount);
  };
  expect(await ask('timestamp', 10_000)).toBe(10);
  await expect(ask('timestamp', 10_001)).rejects.toThrow('no');
  expect(await ask('event_message', 15)).toBe(10);
  await expect(ask('event_message', 16)).rejects.toThrow('no');
});

test('a source whose rows have no ids is not kept', async () => {
  const { engine, runs } = failing();
  const { keepNext } = open(engine);
  const columns = [...source.columns, { ...source.columns[2], name: 'Row ID' }];
  expect(await keepNext([{ ...source, columns } as SourceSchema])).toBe(false);
  expect(runs()).toBe(0);
});

test('a part without rows has no file', async () => {
  const { newest, keepAll } = open(engineOver([]));
  await keepAll();
  expect(await ask(newest)).toBe('[]');
  expect(readdirSync(folder)).toEqual([]);
});

test('a damaged file is removed, its source is named, and requests are left to the engine', async () => {
  const first = open(engineOver(rowsOf(10)));
  await first.keepAll();
  const [name = ''] = readdirSync(folder);
  const bytes = readFileSync(join(folder, name)).fill(0, 0, 4);
  writeFileSync(join(folder, name), bytes);
  const { newest, keepAll, failures } = open(failing().engine);
  await keepAll();
  expect(await ask(newest)).toBeUndefined();
  expect(failures).toEqual([['app_logs', new Error('a block is damaged')]]);
  expect(readdirSync(folder)).toEqual([]);
  const third = open(engineOver(rowsOf(10)));
  await third.keepAll();
  expect(await ask(third.newest)).toBe('[{"at":9},{"at":7},{"at":5}]');
});

test('a large part that cannot be written is named, and leaves nothing behind', async () => {
  const writeLarge = async () => Promise.reject(error);
  const { newest, keepAll, failures } = open(engineOver(rowsOf(6_000)), { writeLarge });
  await keepAll();
  expect(failures).toEqual([['app_logs', error]]);
  expect(await ask(newest)).toBeUndefined();
});

test('the parts of another state replace those before, also while one is written', async () => {
  const other = { ...source, parts: [{ file: join(folder, 'b.duckdb'), view: 'app_logs/0' }] };
  const stops: AbortSignal[] = [];
  const engine = engineOver(rowsOf(6_000));
  const { newest, keepNext, failures } = open(engine, {
    writeLarge: (job, { signal }) => {
      stops.push(signal);
      if (job.path.includes('b.duckdb'))
        return writeRows(engine, job, { onWritten: () => {}, signal });
      return new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason)),
      );
    },
  });
  while (await keepNext());
  await expect.poll(() => stops.length).toBe(1);
  while (await keepNext([other]));
  await expect.poll(() => newest.stats().waiting).toBe(0);
  expect(stops.map(({ aborted }) => aborted)).toEqual([true, false]);
  expect(failures).toEqual([]);
});

test('large parts share the space', async () => {
  const sources = ['a', 'b'].map((name) => {
    const parts = [{ file: join(folder, name), view: `${name}/0` }];
    return { ...source, name, parts };
  });
  const shares: number[] = [];
  const engine = engineOver(rowsOf(100_000));
  const { newest, keepAll } = open(engine, {
    maxBytes: 200_000,
    writeLarge: (job, watch) => {
      shares.push(job.maxBytes);
      return writeRows(engine, job, watch);
    },
  });
  await keepAll(sources);
  expect(shares[0]).toBeCloseTo(90_000, 0);
  expect(shares[1]).toBeGreaterThan(50_000);
  expect(newest.stats().waiting).toBe(0);
  const left = {
    ...request.newest,
    bounds: [{ operator: '<', time: '1970-01-01 00:00:00.000005+00:00' }],
  };
  for (const { name } of sources) {
    const asked = (wanted: object) =>
      newest
        .answering({ engine: failing().engine, sources })
        .run({ ...request, newest: { ...wanted, source: name } } as Statement, { signal: never })
        .then(({ rowCount }) => rowCount)
        .catch(() => undefined);
    expect(await asked({ ...request.newest })).toBe(3);
    expect(await asked(left)).toBeUndefined();
  }
});

test('a file of a source whose columns have changed is written anew, and the old one removed', async () => {
  const engine = engineOver(rowsOf(10));
  const { newest, keepAll } = open(engine);
  const other = { ...source, name: 'other_logs' };
  await keepAll([source, other]);
  const before = readdirSync(folder);
  const columns = [...source.columns, { ...source.columns[2], name: 'more', stored: false }];
  const changed = { ...source, columns } as SourceSchema;
  await keepAll([changed, other]);
  const after = readdirSync(folder);
  expect([before.length, after.length]).toEqual([2, 2]);
  expect(after.filter((name) => before.includes(name))).toHaveLength(1);
  expect(await ask(newest, [changed])).toBe('[{"at":9},{"at":7},{"at":5}]');
});

test('what other programs write beside a file is no part of it', async () => {
  const { newest, keepAll } = open(engineOver(rowsOf(10)));
  await keepAll();
  const [name = ''] = readdirSync(folder);
  appendFileSync(join(folder, name), 'more');
  // The blocks that were read before are still where they were.
  expect(await ask(newest)).toBe('[{"at":9},{"at":7},{"at":5}]');
});
