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
import { letOnce } from '../duckdb-sql/let.js';
import {
  countParts,
  lastDayOf,
  lengths,
  noSuchPart,
  partWord,
  truncateCivil,
} from './date-part.js';
import type { Emitter, FunctionDefinition } from './definition.js';
import { civilOf, fromCivil, toCivil } from './zone.js';

/** The same rows, each of whose `how` may name its arguments many times. */
export function bindingOnce(table: readonly FunctionDefinition[]): readonly FunctionDefinition[] {
  return table.map((definition) => ({
    ...definition,
    emit: (args, node, clauses) => letOnce(args, (light) => definition.emit(light, node, clauses)),
  }));
}

/** How a call is written, whatever its clauses. */
type Write = (args: readonly DuckExpression[], node: BoundCall) => DuckExpression;

/** The request's instant. */
export const clock: DuckExpression = castTo({ kind: 'parameter', name: 'now' }, 'TIMESTAMPTZ');

/** `current_date('Europe/Rome')` and its like, as a DuckDB type. */
export function current(type: string): Emitter {
  return ([zone], { at }) => castTo(toCivil(clock, zone, at), type);
}

/** A value's civil time in the zone of its second argument, as a DuckDB type. */
export function asCivil(type: string): Write {
  return ([value = duckNull, zone], node) => castTo(civilOf(value, zone, node), type);
}

/** `timestamp_trunc(t, hour, 'Asia/Kolkata')` and its like: the value keeps its type. */
export function truncated(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const [value = duckNull, part, zone] = args;
  const word = partWord(part, node);
  const { kind } = node.type;
  if (kind === 'TIMESTAMP') return truncateInstant(value, word, { zone, at: node.at });
  const cut = truncateCivil(civilOf(value, undefined, node), word);
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
export function difference(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const [end = duckNull, start = duckNull, part] = args;
  const word = partWord(part, node);
  const kind = node.args[0]?.type.kind;
  if (kind !== 'TIMESTAMP') {
    const [a, b] = [civilOf(start, undefined, node, 1), civilOf(end, undefined, node)];
    return countParts(b, a, word);
  }
  const length = lengths[word];
  if (length === undefined) throw noSuchPart(node.function.name, word, kind, node.at);
  const micros = infix('-', call('epoch_us', end), call('epoch_us', start));
  return infix('//', micros, integer(length));
}

/** `last_day(d, part)`, of the month unless told. */
export function lastDay(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const [value = duckNull, part] = args;
  const word = part === undefined ? 'MONTH' : partWord(part, node);
  return lastDayOf(civilOf(value, undefined, node), word);
}

/** `date_bucket(d, interval 2 day[, origin])`, from the manual's origin unless told. */
export function bucket(type: string): Emitter {
  return ([value = duckNull, width = duckNull, origin]) => {
    const from = origin ?? castTo(text('1950-01-01 00:00:00+00'), type);
    return castTo(call('time_bucket', width, value, from), type);
  };
}
