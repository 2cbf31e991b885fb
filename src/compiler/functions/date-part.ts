import { QueryFault } from '../../errors/query-fault.js';
import type { BoundCall } from '../bound/bound.js';
import {
  call,
  castTo,
  type DuckExpression,
  infix,
  integer,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';

/** Parts of one length in UTC, in microseconds: cut by arithmetic, which reads no calendar. */
export const lengths: Readonly<Record<string, number>> = {
  MICROSECOND: 1,
  MILLISECOND: 1_000,
  SECOND: 1_000_000,
  MINUTE: 60_000_000,
  HOUR: 3_600_000_000,
  DAY: 86_400_000_000,
};

const weekdays = 'SUNDAY MONDAY TUESDAY WEDNESDAY THURSDAY FRIDAY SATURDAY'.split(' ');

/** The first day of a week, 0 for Sunday, by its part: `WEEK`, `WEEK(MONDAY)`, `ISOWEEK`. */
const firstDays: Readonly<Record<string, number>> = {
  WEEK: 0,
  ...Object.fromEntries(weekdays.map((day, i) => [`WEEK(${day})`, i])),
  ISOWEEK: 1,
};

export const timeParts: readonly string[] = Object.keys(lengths).filter((part) => part !== 'DAY');

export const dateParts: readonly string[] = [
  'DAY',
  ...Object.keys(firstDays),
  ...['MONTH', 'QUARTER', 'YEAR', 'ISOYEAR'],
];

export const allParts: readonly string[] = [...timeParts, ...dateParts];

/** Whether a value of a type has a part: a TIME no days, a DATE no hours. */
const hasPart: Readonly<Record<string, (part: string) => boolean>> = {
  DATE: (part) => !timeParts.includes(part),
  TIME: (part) => timeParts.includes(part),
};

/** The word of a part, which the type must have. */
export function partWord(
  part: DuckExpression | undefined,
  { function: { name }, args, at }: BoundCall,
  place = 0,
): string {
  const word = part?.kind === 'text' ? part.value : '';
  const kind = args[place]?.type.kind ?? '';
  if (hasPart[kind]?.(word) === false) throw noSuchPart(name, word, kind, at);
  return word;
}

/** The fault of a part that a type does not have. */
export function noSuchPart(name: string, part: string, kind: string, at: number): QueryFault {
  const message = `${name.replace('$', '').toUpperCase()} does not support the ${part} date part when the argument is ${kind} type`;
  return new QueryFault(message, at);
}

/** A civil time cut to the start of its part. */
export function truncateCivil(civil: DuckExpression, part: string): DuckExpression {
  const length = lengths[part];
  if (length !== undefined) return macro('datetime_floor', civil, integer(length));
  const first = firstDays[part];
  if (first !== undefined) return macro('week_floor', civil, integer((8 - first) % 7));
  return castTo(call('date_trunc', text(part.toLowerCase()), civil), 'TIMESTAMP');
}

/** How often a part begins between two civil times. */
export function countParts(
  end: DuckExpression,
  start: DuckExpression,
  part: string,
): DuckExpression {
  if (firstDays[part] !== undefined) {
    const [a, b] = [truncateCivil(start, part), truncateCivil(end, part)];
    return infix('//', call('date_diff', text('day'), a, b), integer(7));
  }
  return call('date_diff', text(part.toLowerCase()), start, end);
}

const lastDays: Readonly<Record<string, DuckExpression>> = {
  MONTH: call('to_months', integer(1)),
  QUARTER: call('to_months', integer(3)),
  YEAR: call('to_years', integer(1)),
};

/** The last day of a civil time's part, as a DATE. */
export function lastDayOf(civil: DuckExpression, part: string): DuckExpression {
  const start = truncateCivil(civil, part);
  const day = call('to_days', integer(1));
  const length = lastDays[part] ?? call('to_days', integer(part === 'ISOYEAR' ? 371 : 7));
  const next = infix('+', start, length);
  // An ISO year has 52 or 53 weeks: 53 weeks on, the next one has begun.
  const end = part === 'ISOYEAR' ? truncateCivil(next, part) : next;
  return castTo(infix('-', end, day), 'DATE');
}

const micros = (civil: DuckExpression) =>
  macro('positive_mod', call('epoch_us', civil), integer(1_000_000));
const part = (name: string) => (civil: DuckExpression) => call('date_part', text(name), civil);

const fields: Readonly<Record<string, (civil: DuckExpression) => DuckExpression>> = {
  MICROSECOND: micros,
  MILLISECOND: (civil) => infix('//', micros(civil), integer(1_000)),
  DAYOFWEEK: (civil) => infix('+', part('dow')(civil), integer(1)),
  DAYOFYEAR: part('doy'),
  ISOWEEK: part('week'),
};

export const extractParts: readonly string[] = [...allParts, 'DAYOFWEEK', 'DAYOFYEAR'];

/** A part of a civil time as a number. */
export function extractPart(civil: DuckExpression, name: string): DuckExpression {
  const field = fields[name];
  if (field !== undefined) return field(civil);
  const first = firstDays[name];
  if (first !== undefined) return macro('week_number', civil, integer(first));
  return part(name.toLowerCase())(civil);
}
