import type { AggregateName, Comparison, LqlUnit } from './lql-tree.js';

/** The aggregates by name. */
export const aggregates: ReadonlyMap<string, AggregateName> = new Map(
  (['avg', 'count', 'countd', 'sum', 'max', 'p50', 'p95', 'p99'] as const).map((name) => [
    name,
    name,
  ]),
);

/** The units that a chart can group by. */
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

const singularUnits: readonly (readonly [name: string, LqlUnit])[] = [
  ...chartUnits,
  ['week', 'WEEK'],
  ['w', 'WEEK'],
  ['month', 'MONTH'],
  ['mm', 'MONTH'],
  ['year', 'YEAR'],
  ['y', 'YEAR'],
];

/** The units of `this@` and `last@`, whose long names have plurals. */
export const units: ReadonlyMap<string, LqlUnit> = new Map(
  singularUnits.flatMap(([name, unit]) => [
    [name, unit],
    ...(name.length > 2 ? [[`${name}s`, unit] as const] : []),
  ]),
);

/** The maximum count of each unit in `last@`: about a hundred years. */
export const maxUnits: Readonly<Record<LqlUnit, number>> = {
  SECOND: 3_155_760_000,
  MINUTE: 52_596_000,
  HOUR: 876_600,
  DAY: 36_525,
  WEEK: 5_218,
  MONTH: 1_200,
  YEAR: 100,
};

/** The comparison operators. */
export const lqlComparisons: ReadonlyMap<string, Comparison> = new Map([
  [':', '='],
  [':>', '>'],
  [':>=', '>='],
  [':<', '<'],
  [':<=', '<='],
]);
