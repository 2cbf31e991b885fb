import type { AggregateName, Comparison, LqlUnit } from './lql-tree.js';

/** The aggregates, each by its own name. */
export const aggregates: ReadonlyMap<string, AggregateName> = new Map(
  (['avg', 'count', 'countd', 'sum', 'max', 'p50', 'p95', 'p99'] as const).map((name) => [
    name,
    name,
  ]),
);

/** The units that a chart groups by. */
export const chartUnits: ReadonlyMap<string, LqlUnit> = new Map([
  ['second', 'SECOND'],
  ['s', 'SECOND'],
  ['minute', 'MINUTE'],
  ['m', 'MINUTE'],
  ['hour', 'HOUR'],
  ['h', 'HOUR'],
  ['day', 'DAY'],
  ['d', 'DAY'],
]);

/** The units of `this@` and `last@`. */
export const units: ReadonlyMap<string, LqlUnit> = new Map([
  ...chartUnits,
  ['week', 'WEEK'],
  ['w', 'WEEK'],
  ['month', 'MONTH'],
  ['mm', 'MONTH'],
  ['year', 'YEAR'],
  ['y', 'YEAR'],
]);

/** How many of a unit are about a hundred years, which is as far as `last@` goes. */
export const mostUnits: Readonly<Record<LqlUnit, number>> = {
  SECOND: 3_155_760_000,
  MINUTE: 52_596_000,
  HOUR: 876_600,
  DAY: 36_525,
  WEEK: 5_218,
  MONTH: 1_200,
  YEAR: 100,
};

/** The levels of a log, the least grave first. */
export const levels: readonly string[] = [
  'debug',
  'info',
  'notice',
  'warning',
  'error',
  'critical',
  'alert',
  'emergency',
];

/** The operators that compare. */
export const comparisons: ReadonlyMap<string, Comparison> = new Map([
  [':', '='],
  [':>', '>'],
  [':>=', '>='],
  [':<', '<'],
  [':<=', '<='],
]);
