import type { FieldSchema } from '../../types/table-schema.js';
import type { AnswerRow, AnswerValue } from './endpoint.js';
import { isNumericColumn } from './print-value.js';
import { valueMillis } from './time.js';

/** A chart suggested by the columns of a result. Times are in seconds since 1970, ascending. */
export interface Chart {
  readonly kind: 'line' | 'bar';
  readonly times: readonly number[];
  readonly series: readonly Series[];
  /** The width of a bar in seconds; 0 if the times are not evenly spaced. */
  readonly step: number;
  /** Whether the times depend on the zone, unlike dates and clock times. */
  readonly isInstant: boolean;
}

/** One line or one set of bars. */
export interface Series {
  readonly name: string;
  /** NULL is a gap; undefined means no row at that time, and the line continues. */
  readonly values: readonly (number | null | undefined)[];
}

const timeTypes = new Set(['TIMESTAMP', 'DATETIME', 'DATE']);
const groupTypes = new Set(['STRING', 'INT64', 'BOOL']);
const maxSeries = 8;
const mostBars = 60;

/** A chart of numbers over time, if the columns are a time and numbers, or a time, a group and a number. */
export function timeChart(
  columns: readonly FieldSchema[],
  rows: readonly AnswerRow[],
): Chart | undefined {
  const time = columns.find(({ type, mode }) => mode !== 'REPEATED' && timeTypes.has(type));
  const numbers = columns.filter(isNumericColumn);
  const [text, ...others] = columns.filter((one) => one !== time && !isNumericColumn(one));
  if (time === undefined || numbers.length === 0 || others.length > 0) return undefined;
  const points = chartPoints(time, rows);
  const times = [...new Set(points.map(({ seconds }) => seconds))];
  if (times.length < 2) return undefined;
  const hasGroups = times.length < points.length;
  const [group, number, ...more] = text === undefined ? numbers : [text, ...numbers];
  const series =
    text === undefined && !hasGroups
      ? numbers.slice(0, maxSeries).map(({ name }) => ({
          name,
          values: points.map(({ row }) => finiteNumber(row[name])),
        }))
      : more.length === 0 && group && number && seriesOfGroups(points, times, group, number);
  if (!series) return undefined;
  const isBars = series.length === 1 && times.length <= mostBars;
  // Whole days are in UTC, wherever the browser is.
  const isInstant = time.type === 'TIMESTAMP' && times.some((seconds) => seconds % 86_400 !== 0);
  return { kind: isBars ? 'bar' : 'line', times, series, step: leastStep(times), isInstant };
}

interface Point {
  readonly row: AnswerRow;
  readonly seconds: number;
}

function chartPoints({ name }: FieldSchema, rows: readonly AnswerRow[]): readonly Point[] {
  const points = rows.flatMap((row) => {
    const millis = valueMillis(row[name]);
    return millis === undefined ? [] : [{ row, seconds: millis / 1000 }];
  });
  return points.toSorted((a, b) => a.seconds - b.seconds);
}

/**
 * Makes a series for each group, such as counts by hour and status, and keeps the largest ones. Undefined for
 * records: their times are not evenly spaced, or a group has two numbers at the same time.
 */
function seriesOfGroups(
  points: readonly Point[],
  times: readonly number[],
  group: FieldSchema,
  number: FieldSchema,
): readonly Series[] | undefined {
  const isGroup = group.mode !== 'REPEATED' && groupTypes.has(group.type);
  if (!isGroup || !areSteps(times)) return undefined;
  const indexes = new Map(times.map((seconds, index) => [seconds, index]));
  const found = new Map<string, (number | null | undefined)[]>();
  for (const { row, seconds } of points) {
    const name = String(row[group.name] ?? 'NULL');
    const values = found.get(name) ?? times.map(() => undefined);
    const index = indexes.get(seconds) ?? 0;
    if (values[index] !== undefined) return undefined;
    values[index] = finiteNumber(row[number.name]);
    found.set(name, values);
  }
  const total = ({ values }: Series) => values.reduce<number>((sum, one) => sum + (one ?? 0), 0);
  // A group without a row at a time has a gap there.
  const series = [...found].map(([name, all]) => ({ name, values: all.map((one) => one ?? null) }));
  return series.toSorted((a, b) => total(b) - total(a)).slice(0, maxSeries);
}

/** Whether the times are whole seconds, evenly spaced, like truncated times. */
function areSteps(times: readonly number[]): boolean {
  const step = leastStep(times);
  const [first = 0] = times;
  return step >= 1 && times.every((seconds) => (seconds - first) % step === 0);
}

/** Returns the value as a number; null, which is a gap, for NULL and for anything but a finite number. */
function finiteNumber(value: AnswerValue | undefined): number | null {
  const number = value == null ? Number.NaN : Number(value);
  return Number.isFinite(number) ? number : null;
}

function leastStep(times: readonly number[]): number {
  const steps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
  return Math.min(...steps);
}

/** Round steps of time, in seconds. */
export const timeSteps = [
  0.001, 0.01, 0.1, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600,
  43_200,
].concat([1, 2, 3, 7, 14, 28, 91, 182, 365, 730, 1825, 3650].map((days) => days * 86_400));

/** The colour tokens of statuses and levels, which are the same on every page: red means an error, never 204. */
const ownColours: Readonly<Record<string, string>> = {
  '--c2': '200',
  '--c2b': '201 notice',
  '--c2c': '204',
  '--c4': '400',
  '--c5': '500 fatal critical',
  '--bar-error': 'error',
  '--bar-warn': 'warn warning',
  '--bar-info': 'info log',
  '--bar-debug': 'debug trace',
};
const classColours = ['', '--c2c', '--c2b', '--c3', '--c4b', '--c5b'];

/** Returns the colour token of a series. */
export function chooseColour(name: string, index: number): string {
  const own = Object.entries(ownColours).find(([, names]) =>
    names.split(' ').includes(name.toLowerCase()),
  );
  const [, digit = 0] = /^([1-5])\d\d$/.exec(name) ?? [];
  return own?.[0] ?? (classColours[Number(digit)] || `--series-${(index % 8) + 1}`);
}
