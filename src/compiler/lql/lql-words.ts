import type { Comparison, LqlUnit } from './lql-tree.js';

/** The aggregates of a chart. */
export const lqlAggregates = ['avg', 'count', 'countd', 'sum', 'max', 'p50', 'p95', 'p99'] as const;

type UnitRow = readonly [unit: LqlUnit, short: string, max: number];

/** The units with their short names, and the maximum of their count in `last@`: about a hundred years. */
const unitRows: readonly UnitRow[] = [
  ['SECOND', 's', 3_155_760_000],
  ['MINUTE', 'm', 52_596_000],
  ['HOUR', 'h', 876_600],
  ['DAY', 'd', 36_525],
  ['WEEK', 'w', 5_218],
  ['MONTH', 'mm', 1_200],
  ['YEAR', 'y', 100],
];

function unitNames([unit, short]: UnitRow): readonly (readonly [string, LqlUnit])[] {
  return [unit.toLowerCase(), short].map((name) => [name, unit]);
}

/** The units that a chart can group by. */
export const chartUnits: ReadonlyMap<string, LqlUnit> = new Map(
  unitRows.slice(0, 4).flatMap(unitNames),
);

/** The units of `this@` and `last@`, whose long names have plurals. */
export const units: ReadonlyMap<string, LqlUnit> = new Map(
  unitRows
    .flatMap(unitNames)
    .flatMap(([name, unit]) =>
      [name, ...(name.length > 2 ? [`${name}s`] : [])].map((each) => [each, unit] as const),
    ),
);

/** The maximum count of a unit in `last@`. */
export function maxCount(unit: LqlUnit): number {
  return unitRows.find(([name]) => name === unit)?.[2] ?? 0;
}

/** The comparison operators. */
export const lqlComparisons: ReadonlyMap<string, Comparison> = new Map([
  [':', '='],
  [':>', '>'],
  [':>=', '>='],
  [':<', '<'],
  [':<=', '<='],
]);
