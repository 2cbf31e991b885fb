import { expect, test } from 'vitest';
import { chooseColour, timeChart } from '../../../src/explorer/model/chart.js';
import { scalar } from '../tables.js';

const time = scalar('timestamp', 'TIMESTAMP');
const n = scalar('n', 'INT64');
const day = 86_400;

test('daily counts are bars, in order of time', () => {
  const rows = [2, 0, 1].map((index) => ({ day: `2026-03-0${index + 1}`, n: index * 10 }));
  expect(timeChart([scalar('day', 'DATE'), n], rows)).toEqual({
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
  const chart = timeChart([time, n, scalar('m', 'INT64')], rows);
  expect(chart).toMatchObject({ kind: 'line', isInstant: true });
  expect(chart?.series[1]?.values).toEqual([null, 5]);
});

const status = scalar('status');

test('a text makes a line for each of its values, the largest first', () => {
  const rows = [
    { timestamp: 60_000_000, status: 'error', n: 1 },
    { timestamp: 60_000_000, status: 'ok', n: 7 },
    { timestamp: 180_000_000, status: 'ok', n: 9 },
    { timestamp: 180_000_000, status: null, n: 2 },
  ];
  expect(timeChart([time, status, n], rows)).toMatchObject({
    kind: 'line',
    times: [60, 180],
    series: [
      { name: 'ok', values: [7, 9] },
      { name: 'NULL', values: [null, 2] },
      { name: 'error', values: [1, null] },
    ],
  });
});

test('so does an integer, if times repeat', () => {
  const rows = [
    { timestamp: 60_000_000, code: 200, n: 7 },
    { timestamp: 60_000_000, code: 500, n: 1 },
    { timestamp: 120_000_000, code: 200, n: 9 },
  ];
  const chart = timeChart([time, scalar('code', 'INT64'), n], rows);
  expect(chart?.series).toEqual([
    { name: '200', values: [7, 9] },
    { name: '500', values: [1, null] },
  ]);
});

test('a group that is absent at a time has a gap there', () => {
  const rows = [0, 60, 180].map((seconds) => {
    return { timestamp: seconds * 1e6, status: seconds === 60 ? 'b' : 'a', n: 1 };
  });
  expect(timeChart([time, status, n], rows)?.series[0]?.values).toEqual([1, null, 1]);
});

test('of many texts, the eight largest are lines', () => {
  const rows = Array.from({ length: 20 }, (_, index) => {
    const timestamp = (index % 2) * 1_000_000;
    return { timestamp, status: `s${Math.floor(index / 2)}`, n: index };
  });
  const names = timeChart([time, status, n], rows)?.series.map(({ name }) => name);
  expect(names).toEqual(['s9', 's8', 's7', 's6', 's5', 's4', 's3', 's2']);
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
    'records, whose times are not in steps',
    [time, n, status],
    [
      { timestamp: 1_500_000, n: 1, status: 'a' },
      { timestamp: 2_000_000, n: 1, status: 'b' },
      { timestamp: 3_700_000, n: 1, status: 'b' },
    ],
  ],
  [
    'two numbers of one text at one time',
    [time, n, status],
    [
      { timestamp: 1_000_000, n: 1, status: 'a' },
      { timestamp: 2_000_000, n: 1, status: 'b' },
      { timestamp: 2_000_000, n: 2, status: 'b' },
    ],
  ],
  [
    'two texts',
    [time, n, status, scalar('method')],
    [
      { timestamp: 1_000_000, n: 1, status: 'a', method: 'x' },
      { timestamp: 2_000_000, n: 1, status: 'b', method: 'x' },
    ],
  ],
  ['one row', [time, n], [{ timestamp: 1, n: 1 }]],
])('%s is no chart', (_what, columns, rows) => {
  expect(timeChart(columns, rows)).toBeUndefined();
});

test.each([
  ['503', '--c5b'],
  ['204', '--c2c'],
  ['404', '--c4b'],
  ['304', '--c3'],
  ['ERROR', '--bar-error'],
  ['/v1/orders', '--series-2'],
])('%s has the colour %s, wherever it stands', (name, colour) => {
  expect(chooseColour(name, 1)).toBe(colour);
});
