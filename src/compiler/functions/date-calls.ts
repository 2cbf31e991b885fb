import type { BoundCall } from '../bound/bound.js';
import {
  call,
  castTo,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { once } from '../duckdb-sql/let.js';
import {
  countParts,
  lastDayOf,
  lengths,
  noSuchPart,
  partWord,
  truncateCivil,
} from './date-part.js';
import type { FunctionRow, How } from './definition.js';
import { civilOf, fromCivil, toCivil } from './zone.js';

/** The same rows, each of whose `how` may name its arguments many times. */
export function bindingOnce(table: readonly FunctionRow[]): readonly FunctionRow[] {
  return table.map((row) => ({
    ...row,
    how: (args, bound, clauses) => once(args, (light) => row.how(light, bound, clauses)),
  }));
}

/** How a call is written, whatever its clauses. */
type Write = (args: readonly DuckExpression[], bound: BoundCall) => DuckExpression;

/** The request's instant. */
export const clock: DuckExpression = castTo({ kind: 'parameter', name: 'now' }, 'TIMESTAMPTZ');

/** `current_date('Europe/Rome')` and its like, as a DuckDB type. */
export function current(type: string): How {
  return ([zone], { at }) => castTo(toCivil(clock, zone, at), type);
}

/** A value's civil time in the zone of its second argument, as a DuckDB type. */
export function asCivil(type: string): Write {
  return ([value = duckNull, zone], bound) => castTo(civilOf(value, zone, bound), type);
}

/** `timestamp_trunc(t, hour, 'Asia/Kolkata')` and its like: the value keeps its type. */
export function truncated(args: readonly DuckExpression[], bound: BoundCall): DuckExpression {
  const [value = duckNull, part, zone] = args;
  const word = partWord(part, bound);
  const { kind } = bound.type;
  if (kind === 'TIMESTAMP') return truncateInstant(value, word, { zone, at: bound.at });
  const cut = truncateCivil(civilOf(value, undefined, bound), word);
  return kind === 'DATETIME' ? cut : castTo(cut, kind);
}

function truncateInstant(
  value: DuckExpression,
  part: string,
  { zone, at }: { readonly zone: DuckExpression | undefined; readonly at: number },
): DuckExpression {
  const length = lengths[part];
  if (length !== undefined && zone === undefined) {
    return macro('timestamp_floor', value, integer(length));
  }
  const civil = toCivil(value, zone, at);
  // Cut on the instant: an hour that the clock shows twice stays where it is.
  if (length !== undefined && part !== 'DAY') {
    return macro('zoned_floor', value, civil, integer(length));
  }
  return fromCivil(truncateCivil(civil, part), zone, at);
}

/** `date_diff(end, start, part)`: boundaries between civil times, whole parts between instants. */
export function difference(args: readonly DuckExpression[], bound: BoundCall): DuckExpression {
  const [end = duckNull, start = duckNull, part] = args;
  const word = partWord(part, bound);
  const kind = bound.args[0]?.type.kind;
  if (kind !== 'TIMESTAMP') {
    const [a, b] = [civilOf(start, undefined, bound, 1), civilOf(end, undefined, bound)];
    return countParts(b, a, word);
  }
  const length = lengths[word];
  if (length === undefined) throw noSuchPart(bound.row.name, word, kind, bound.at);
  const micros = infix('-', call('epoch_us', end), call('epoch_us', start));
  return infix('//', micros, integer(length));
}

/** `last_day(d, part)`, of the month unless told. */
export function lastDay(args: readonly DuckExpression[], bound: BoundCall): DuckExpression {
  const [value = duckNull, part] = args;
  const word = part === undefined ? 'MONTH' : partWord(part, bound);
  return lastDayOf(civilOf(value, undefined, bound), word);
}

/** `date_bucket(d, interval 2 day[, origin])`, from the manual's origin unless told. */
export function bucket(type: string): How {
  return ([value = duckNull, width = duckNull, origin]) => {
    const from = origin ?? castTo(text('1950-01-01 00:00:00+00'), type);
    return castTo(call('time_bucket', width, value, from), type);
  };
}
