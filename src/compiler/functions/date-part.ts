import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';

/** The parts of constant length in UTC, in microseconds: truncating to them needs no calendar. */
export const lengths: Readonly<Record<string, number>> = {
  MICROSECOND: 1,
  MILLISECOND: 1_000,
  SECOND: 1_000_000,
  MINUTE: 60_000_000,
  HOUR: 3_600_000_000,
  DAY: 86_400_000_000,
};

const weekdays = 'SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY'.split(' ');

/** The first day of the week (0 is Sunday) for the parts `WEEK`, `WEEK(MONDAY)`, `ISOWEEK`. */
const firstDays: Readonly<Record<string, number>> = {
  WEEK: 0,
  ...Object.fromEntries(weekdays.map((day, i) => [`WEEK(${day})`, i])),
  ISOWEEK: 1,
};

/** Whether a part is a week, such as `WEEK(MONDAY)`. */
export function isWeek(part: string): boolean {
  return firstDays[part] !== undefined;
}

/** The parts of a time of day. */
export const timeParts: readonly string[] = Object.keys(lengths).filter((part) => part !== 'DAY');

/** The parts of a date. */
export const dateParts: readonly string[] = [
  'DAY',
  ...Object.keys(firstDays),
  ...['MONTH', 'QUARTER', 'YEAR', 'ISOYEAR'],
];

/** All parts that functions such as TIMESTAMP_TRUNC take. */
export const allParts: readonly string[] = [...timeParts, ...dateParts];

/** Whether a type has a part: TIME has no days, DATE has no hours. */
const hasPart: Readonly<Record<string, (part: string) => boolean>> = {
  DATE: (part) => !timeParts.includes(part),
  TIME: (part) => timeParts.includes(part),
};

/**
 * The name of a date part.
 * @throws QueryFault if the type of the argument at `index` does not have it
 */
export function partWord(
  part: DuckExpression | undefined,
  { function: { name }, args, at }: bound.Call,
  index = 0,
): string {
  const word = part?.kind === 'text' ? part.value : '';
  const kind = args[index]?.type.kind ?? '';
  if (hasPart[kind]?.(word) === false) throw noSuchPart(name, word, kind, at);
  return word;
}

/** Returns the error for a part that the type does not have. */
export function noSuchPart(name: string, part: string, kind: string, at: number): QueryFault {
  const message = `${name.replace('$', '').toUpperCase()} does not support the ${part} date part when the argument is ${kind} type`;
  return new QueryFault(message, at);
}

/** Truncates a civil time to the start of its part. */
export function truncateCivil(civil: DuckExpression, part: string): DuckExpression {
  const length = lengths[part];
  if (length !== undefined) return d.macro('datetime_floor', civil, d.integer(length));
  const first = firstDays[part];
  if (first !== undefined) return d.macro('week_floor', civil, d.integer((8 - first) % 7));
  return d.castTo(d.call('date_trunc', d.text(part.toLowerCase()), civil), 'TIMESTAMP');
}

/** Counts the starts of a part between two civil times. */
export function countParts(end: DuckExpression, start: DuckExpression, part: string) {
  if (firstDays[part] !== undefined) {
    const [a, b] = [truncateCivil(start, part), truncateCivil(end, part)];
    return d.infix('//', d.call('date_diff', d.text('day'), a, b), d.integer(7));
  }
  return d.call('date_diff', d.text(part.toLowerCase()), start, end);
}

const lastDays: Readonly<Record<string, DuckExpression>> = {
  MONTH: d.call('to_months', d.integer(1)),
  QUARTER: d.call('to_months', d.integer(3)),
  YEAR: d.call('to_years', d.integer(1)),
};

/** The last day of the part that a civil time is in, as a DATE. */
export function lastDayInPart(civil: DuckExpression, part: string): DuckExpression {
  const start = truncateCivil(civil, part);
  const day = d.call('to_days', d.integer(1));
  const length = lastDays[part] ?? d.call('to_days', d.integer(part === 'ISOYEAR' ? 371 : 7));
  const next = d.infix('+', start, length);
  // An ISO year has 52 or 53 weeks: 53 weeks after its start, the next one has begun.
  const end = part === 'ISOYEAR' ? truncateCivil(next, part) : next;
  return d.castTo(d.infix('-', end, day), 'DATE');
}

const micros = (civil: DuckExpression) =>
  d.macro('positive_mod', d.call('epoch_us', civil), d.integer(1_000_000));
const part = (name: string) => (civil: DuckExpression) => d.call('date_part', d.text(name), civil);

const fields: Readonly<Record<string, (civil: DuckExpression) => DuckExpression>> = {
  MICROSECOND: micros,
  MILLISECOND: (civil) => d.infix('//', micros(civil), d.integer(1_000)),
  DAYOFWEEK: (civil) => d.infix('+', part('dow')(civil), d.integer(1)),
  DAYOFYEAR: part('doy'),
  ISOWEEK: part('week'),
};

/** The parts that EXTRACT takes. */
export const extractParts: readonly string[] = [...allParts, 'DAYOFWEEK', 'DAYOFYEAR'];

/** `EXTRACT(part FROM civil)`: a part of a civil time as a number. */
export function extractPart(civil: DuckExpression, name: string): DuckExpression {
  const field = fields[name];
  if (field !== undefined) return field(civil);
  const first = firstDays[name];
  if (first !== undefined) return d.macro('week_number', civil, d.integer(first));
  return part(name.toLowerCase())(civil);
}
