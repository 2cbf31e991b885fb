import { expect, test } from 'vitest';
import { chartOf, histogramOf } from '../../src/explorer/model/chart.js';
import { scalar } from './tables.js';

const time = scalar('timestamp', 'TIMESTAMP');
const n = scalar('n', 'INT64');
const day = 86_400;

test('daily counts are bars, in order of time', () => {
  const rows = [2, 0, 1].map((index) => ({ day: `2026-03-0${index + 1}`, n: index * 10 }));
  expect(chartOf([scalar('day', 'DATE'), n], rows)).toEqual({
    kind: 'bar',
    times: [0, 1, 2].map((index) => Date.UTC(2026, 2, 1) / 1000 + index * day),
    series: [{ name: 'n', values: [0, 10, 20] }],
    step: day,
    isInstant: false,
  });
});

test('several numbers are lines, and NULL is a gap', () => {
  const rows = [
    { timestamp: 1_000_000, n: 1, m: null },
    { timestamp: 2_000_000, n: 2, m: 5 },
  ];
  const chart = chartOf([time, n, scalar('m', 'INT64')], rows);
  expect(chart).toMatchObject({ kind: 'line', isInstant: true });
  expect(chart?.series[1]?.values).toEqual([null, 5]);
});

test.each([
  [
    'no time',
    [scalar('a'), n],
    [
      { a: 'x', n: 1 },
      { a: 'y', n: 2 },
    ],
  ],
  ['no number', [time], [{ timestamp: 1 }, { timestamp: 2 }]],
  [
    'two rows of one time',
    [time, n],
    [
      { timestamp: 1, n: 1 },
      { timestamp: 1, n: 2 },
    ],
  ],
  [
    'texts, as records have',
    [time, n, scalar('message')],
    [
      { timestamp: 1, n: 1, message: 'a' },
      { timestamp: 2, n: 1, message: 'b' },
    ],
  ],
  ['one row', [time, n], [{ timestamp: 1, n: 1 }]],
])('%s is no chart', (_what, columns, rows) => {
  expect(chartOf(columns, rows)).toBeUndefined();
});

test('records are counted in at most 61 buckets of a round width', () => {
  const rows = [0, 1, 61, 3599].map((seconds) => ({ timestamp: seconds * 1_000_000, id: 'x' }));
  const histogram = histogramOf([time, scalar('id')], rows);
  expect(histogram?.step).toBe(60);
  expect(histogram?.series[0]?.values.slice(0, 3)).toEqual([2, 1, 0]);
  expect(histogram?.times.length).toBe(60);
  expect(histogramOf([scalar('id')], rows)).toBeUndefined();
});
