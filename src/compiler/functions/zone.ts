import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import { parseTimeZone, type TimeZone } from '../bound/time-zone.js';
import {
  call,
  castTo,
  type DuckExpression,
  infix,
  integer,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';

/**
 * The civil time of an instant in a zone, by default UTC, as DuckDB's TIMESTAMP.
 * @throws QueryFault if the zone is a literal and not a valid zone
 */
export function toCivil(
  instant: DuckExpression,
  zone: DuckExpression | undefined,
  at: number,
): DuckExpression {
  const known = literalZone(zone, at);
  if (known === undefined && zone !== undefined) return macro('to_civil', instant, zone);
  if (known !== undefined && 'name' in known) return call('timezone', text(known.name), instant);
  return shiftBy('+', civilInUtc(instant), known);
}

/**
 * The instant of a civil time in a zone; the first one if the civil time occurs twice.
 * @throws QueryFault if the zone is a literal and not a valid zone
 */
export function fromCivil(
  civil: DuckExpression,
  zone: DuckExpression | undefined,
  at: number,
): DuckExpression {
  const known = literalZone(zone, at);
  if (known === undefined && zone !== undefined) return macro('from_civil', civil, zone);
  if (known !== undefined && 'name' in known) return macro('instant_in', civil, text(known.name));
  return call('make_timestamptz', call('epoch_us', shiftBy('-', civil, known)));
}

/** The civil time of the argument at `index`, whatever its type. */
export function civilTime(
  value: DuckExpression,
  zone: DuckExpression | undefined,
  { args, at }: Pick<bound.Call, 'args' | 'at'>,
  index = 0,
): DuckExpression {
  const kind = args[index]?.type.kind;
  if (kind === 'TIMESTAMP') return toCivil(value, zone, at);
  if (kind === 'TIME') return civilInUtc(value);
  return kind === 'DATE' ? castTo(value, 'TIMESTAMP') : value;
}

/** Converts through microseconds: DuckDB's `timezone` uses a calendar, which takes 25 times as long. */
function civilInUtc(instant: DuckExpression): DuckExpression {
  return call('make_timestamp', call('epoch_us', instant));
}

function literalZone(zone: DuckExpression | undefined, at: number): TimeZone | undefined {
  if (zone?.kind !== 'text') return undefined;
  const known = parseTimeZone(zone.value);
  if (known === undefined) throw new QueryFault(`Invalid time zone: ${zone.value}`, at);
  return known;
}

function shiftBy(operator: '+' | '-', civil: DuckExpression, zone: TimeZone | undefined) {
  if (zone === undefined || !('minutes' in zone) || zone.minutes === 0) return civil;
  return infix(operator, civil, call('to_minutes', integer(zone.minutes)));
}
