import type { FieldSchema } from '../../types/table-schema.js';
import type { Row } from './endpoint.js';
import { isNumeric } from './print-value.js';
import { millisOf } from './time.js';

/** A chart that the columns of a result suggest. Times are in seconds since 1970, ascending. */
export interface Chart {
  readonly kind: 'line' | 'bar';
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** The width of a bar in seconds; 0 if the times have no common distance. */
  readonly step: number;
  /** Whether the times are instants, which depend on the zone, and not dates or clock times. */
  readonly isInstant: boolean;
}

/** One line or one set of bars. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

const timeTypes = new Set(['TIMESTAMP', 'DATETIME', 'DATE']);
const maxSeries = 8;
const mostBars = 60;

/** A chart of numbers over time, if a result has one time for each row, and numbers. */
export function chartOf(columns: readonly FieldSchema[], rows: readonly Row[]): Chart | undefined {
  const time = columns.find(isTime);
  const numbers = columns.filter(isNumeric).slice(0, maxSeries);
  const others = columns.filter((one) => one !== time && !isNumeric(one));
  if (time === undefined || numbers.length === 0 || others.length > 0 || rows.length < 2)
    return undefined;
  const points = rows
    .flatMap((row) => {
      const millis = millisOf(row[time.name]);
      return millis === undefined ? [] : [{ row, seconds: millis / 1000 }];
    })
    .toSorted((a, b) => a.seconds - b.seconds);
  const times = points.map(({ seconds }) => seconds);
  if (times.length < 2 || new Set(times).size < times.length) return undefined;
  const series = numbers.map(({ name }) => ({
    name,
    values: points.map(({ row }) => (row[name] == null ? null : Number(row[name]))),
  }));
  const isBars = series.length === 1 && times.length <= mostBars;
  const step = leastStep(times);
  // Whole days are days in UTC, wherever the browser is.
  const isDays = times.every((seconds) => seconds % 86_400 === 0);
  const isInstant = time.type === 'TIMESTAMP' && !isDays;
  return { kind: isBars ? 'bar' : 'line', times, series, step, isInstant };
}

function isTime({ type, mode }: FieldSchema): boolean {
  return mode !== 'REPEATED' && timeTypes.has(type);
}

function leastStep(times: readonly number[]): number {
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  return Math.min(...steps);
}

/** Widths of a bucket, in seconds. */
const widths = [
  0.001, 0.01, 0.1, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600,
  43_200, 86_400, 604_800,
];
const mostBuckets = 60;

/** How many rows fall into each stretch of time, for results that are records and no chart. */
export function histogramOf(
  columns: readonly FieldSchema[],
  rows: readonly Row[],
): Chart | undefined {
  const times = columns.filter(({ type, mode }) => type === 'TIMESTAMP' && mode !== 'REPEATED');
  const time = times.find(({ name }) => name === 'timestamp') ?? times[0];
  if (time === undefined) return undefined;
  const seconds = rows.flatMap((row) => {
    const millis = millisOf(row[time.name]);
    return millis === undefined ? [] : [millis / 1000];
  });
  if (seconds.length < 2) return undefined;
  const least = seconds.reduce((a, b) => Math.min(a, b));
  const most = seconds.reduce((a, b) => Math.max(a, b));
  const step = widths.find((width) => (most - least) / width <= mostBuckets) ?? 2_592_000;
  const first = Math.floor(least / step);
  const counts = Array.from({ length: Math.floor(most / step) - first + 1 }, () => 0);
  for (const one of seconds) {
    const bucket = Math.floor(one / step) - first;
    counts[bucket] = (counts[bucket] ?? 0) + 1;
  }
  return {
    kind: 'bar',
    times: counts.map((_, index) => (first + index) * step),
    series: [{ name: 'rows', values: counts }],
    step,
    isInstant: true,
  };
}
