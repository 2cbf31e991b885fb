import type * as bound from '../../compiler/bound/bound.js';
import type { KnownTime } from '../../types/time-window.js';

/** The column by which the table of a source is partitioned; undefined if it has none. */
export function timeColumn({
  columns,
}: Extract<bound.From, { readonly kind: 'source' }>): bound.Column | undefined {
  return columns.find(
    ({ name, type }) => name.toLowerCase() === 'timestamp' && type.kind === 'TIMESTAMP',
  );
}

/** Returns the time of an expression; undefined if only BigQuery can compute it. */
export function knownTime(value: bound.Expression): KnownTime | undefined {
  switch (value.kind) {
    case 'inlined':
      return knownTime(value.of);
    case 'parameter':
      return { base: { parameter: value.name }, msBefore: 0 };
    case 'literal':
      return value.value === null ? undefined : { base: { time: value.value }, msBefore: 0 };
    case 'cast':
      return converted(value.of, value.type.kind);
    case 'call':
      return calledTime(value);
    default:
      return undefined;
  }
}

function calledTime(call: bound.Call): KnownTime | undefined {
  const [time, other, ...more] = call.args;
  const { name } = call.function;
  if (time === undefined) return clocks[name];
  const sign = signs[name];
  if (other === undefined) return sameTimes.has(name) ? converted(time, call.type.kind) : undefined;
  if (more.length > 0) return undefined;
  if (sign !== undefined && other.kind === 'call') return earlier(time, maxShiftMs(other, sign));
  return truncations.has(name) && other.kind === 'part'
    ? earlier(time, unitsMs[other.part.replace(/\(.*/, '')])
    : undefined;
}

const dayMs = 86_400_000;

const clocks: Readonly<Record<string, KnownTime>> = {
  current_date: { base: 'now', msBefore: dayMs },
  current_timestamp: { base: 'now', msBefore: 0 },
};

/** Functions of one argument that only change its type. */
const sameTimes: ReadonlySet<string> = new Set(['$extract_date', 'date', 'timestamp']);

const truncations: ReadonlySet<string> = new Set(['date_trunc', 'timestamp_trunc']);

const signs: Readonly<Record<string, number>> = {
  '$-': 1,
  '$+': -1,
  date_add: -1,
  date_sub: 1,
  timestamp_add: -1,
  timestamp_sub: 1,
};

/** The types without a time of day; a STRING that becomes a DATE has none. */
const wholeDays: ReadonlySet<string> = new Set(['DATE', 'STRING']);

/** The time of a value after a cast; as a DATE, a time begins up to a day earlier. */
function converted(value: bound.Expression, to: string): KnownTime | undefined {
  if (to === 'TIMESTAMP') return knownTime(value);
  if (to !== 'DATE') return undefined;
  return wholeDays.has(value.type.kind) ? knownTime(value) : earlier(value, dayMs);
}

function earlier(value: bound.Expression, ms: number | undefined): KnownTime | undefined {
  const time = knownTime(value);
  return time === undefined || ms === undefined
    ? undefined
    : { ...time, msBefore: time.msBefore + ms };
}

/**
 * The maximum shift to an earlier time by an interval, in milliseconds; undefined if the interval has no known length.
 */
function maxShiftMs({ function: { name }, args }: bound.Call, sign: number): number | undefined {
  const [amount, part] = args;
  if (name !== '$interval' || amount?.kind !== 'literal' || part?.kind !== 'part') return undefined;
  const unit = unitsMs[part.part];
  const ms = unit === undefined ? undefined : sign * Number(amount.value) * unit;
  // A shift to a later time must not be longer than the shortest month.
  return ms !== undefined && ms < 0 && longUnits.has(part.part) ? undefined : ms;
}

/** The maximum length of each unit, in milliseconds. */
const unitsMs: Readonly<Record<string, number>> = {
  MICROSECOND: 0.001,
  MILLISECOND: 1,
  SECOND: 1000,
  MINUTE: 60_000,
  HOUR: 3_600_000,
  DAY: dayMs,
  WEEK: 7 * dayMs,
  ISOWEEK: 7 * dayMs,
  MONTH: 31 * dayMs,
  QUARTER: 92 * dayMs,
  YEAR: 366 * dayMs,
  ISOYEAR: 371 * dayMs,
};

const longUnits: ReadonlySet<string> = new Set(['MONTH', 'QUARTER', 'YEAR']);
