import { describe, expect, test } from 'vitest';
import { withLongest, withStarts } from '../../../src/bigquery/engine/time-window.js';
import type { Statement } from '../../../src/engine/engine.js';
import type { KnownTime, TimeWindow } from '../../../src/types/time-window.js';

const hour = 3_600_000;
const now = '2026-03-10T12:00:00.000001+00:00';

type ReadWindow = TimeWindow & { readonly now: string };

function at(time: string): KnownTime {
  return { base: { time }, msBefore: 0 };
}

function statementOf(window: ReadWindow): Statement {
  return {
    sql: '',
    tables: [],
    values: { a: 'b', p_from: '2026-03-10T10:00:00Z', p_none: null, p_rows: '7' },
    maxRows: 10,
    window,
  };
}

function startsOf(window: ReadWindow, maxWindowMs: number) {
  const { tries } = withStarts(statementOf(window), maxWindowMs);
  return tries.map(({ statement }) => statement.values['window_start']);
}

describe('the newest rows', () => {
  const newest = { kind: 'newest', rows: 100, ends: [], now } as const;

  test('are looked for in an hour, a day, a week and the longest window', () => {
    expect(startsOf(newest, 1000 * hour)).toEqual([
      '2026-03-10T11:00:00.000Z',
      '2026-03-09T12:00:00.000Z',
      '2026-03-03T12:00:00.000Z',
      '2026-01-27T20:00:00.000Z',
    ]);
    expect(startsOf(newest, 2 * hour)).toEqual([
      '2026-03-10T11:00:00.000Z',
      '2026-03-10T10:00:00.000Z',
    ]);
  });

  test('are looked for among all without a limit', () => {
    expect(startsOf(newest, 0).at(-1)).toBe('0001-01-01T00:00:00.000Z');
  });

  test('are looked for before their end', () => {
    const ends: readonly KnownTime[] = [
      at('2026-03-08 06:00:00.000000+00:00'),
      { base: 'now', msBefore: 24 * hour },
    ];
    expect(startsOf({ ...newest, ends }, 100 * hour)).toEqual([
      '2026-03-08T05:00:00.000Z',
      '2026-03-07T06:00:00.000Z',
      '2026-03-06T08:00:00.000Z',
    ]);
    expect(startsOf({ ...newest, ends: [at('0001-01-01T00:00:00Z')] }, hour)).toHaveLength(1);
  });

  test('have the longest window where nothing runs, unless they have a start', () => {
    const starts = (statement: Statement) => withLongest(statement, hour).values['window_start'];
    expect(starts(statementOf(newest))).toBe('2026-03-10T11:00:00.000Z');
    const given = { ...statementOf(newest), values: { window_start: 'x' } };
    expect(starts(given)).toBe('x');
  });

  test('keep the other values, and say what is not read', () => {
    const { tries, rows } = withStarts(statementOf(newest), 2 * hour);
    expect(tries[0]?.statement.values).toMatchObject({ a: 'b' });
    expect(rows).toBe(100);
    const asked = (wanted: typeof newest.rows | { readonly parameter: string } | undefined) =>
      withStarts(statementOf({ ...newest, rows: wanted }), 0).rows;
    expect(asked({ parameter: 'rows' })).toBe(7);
    expect(asked(undefined)).toBe(Infinity);
    expect(tries.map(({ note }) => note)).toEqual([
      'rows before 2026-03-10T11:00:00.000Z were not read',
      'rows before 2026-03-10T10:00:00.000Z were not read',
    ]);
    expect(withStarts(statementOf(newest), 0).tries.at(-1)?.note).toBeUndefined();
  });
});

describe('other statements', () => {
  test('need a start, unless there is no limit', () => {
    expect(() => startsOf({ kind: 'open', now }, hour)).toThrow('has no start time');
    expect(startsOf({ kind: 'open', now }, 0)).toEqual([undefined]);
  });

  test('may not start before the longest window', () => {
    const from = (start: string): ReadWindow => ({ kind: 'bounded', starts: [[at(start)]], now });
    expect(() => startsOf(from('2026-03-10T10:54:59Z'), hour)).toThrow('starts too early');
    expect(startsOf(from('2026-03-10T10:59:59Z'), hour)).toEqual([undefined]);
    expect(startsOf(from('2026-03-10T11:30:00Z'), hour)).toEqual([undefined]);
    expect(startsOf(from('2020-01-01T00:00:00Z'), 0)).toEqual([undefined]);
  });

  test('may start so long before the request', () => {
    const back = (ms: number): ReadWindow => ({
      kind: 'bounded',
      starts: [[{ base: 'now', msBefore: ms }]],
      now,
    });
    expect(() => startsOf(back(2 * hour), hour)).toThrow('starts too early');
    expect(startsOf(back(hour), hour)).toEqual([undefined]);
  });

  test('must have a start that is known', () => {
    const unknown: ReadWindow = { kind: 'bounded', starts: [[]], now };
    expect(() => startsOf(unknown, hour)).toThrow('has a start that only BigQuery can compute');
    expect(startsOf(unknown, 0)).toEqual([undefined]);
    const odd: ReadWindow = { kind: 'bounded', starts: [[at('soon')]], now };
    expect(() => startsOf(odd, hour)).toThrow('starts too early');
  });

  test('may start at a parameter; a comparison with NULL reads nothing', () => {
    const from = (parameter: string): ReadWindow => {
      return { kind: 'bounded', starts: [[{ base: { parameter }, msBefore: 0 }]], now };
    };
    expect(() => startsOf(from('from'), hour)).toThrow('starts too early');
    expect(startsOf(from('from'), 3 * hour)).toEqual([undefined]);
    expect(startsOf(from('none'), hour)).toEqual([undefined]);
  });

  test('start at the latest of their starts', () => {
    const starts = [[at('2020-01-01T00:00:00Z'), at('2026-03-10T11:30:00Z')]];
    expect(startsOf({ kind: 'bounded', starts, now }, hour)).toEqual([undefined]);
  });
});
