import { QueryFault } from '../../errors/query-fault.js';
import type { BoundCall } from '../bound/bound.js';
import { parseTimeZone, type TimeZone } from '../bound/time-zone.js';
import { call, type DuckExpression, infix, macro, text } from '../duckdb-sql/duckdb-sql.js';

/**
 * What a zone's clock shows at an instant, as DuckDB's TIMESTAMP; without a zone, UTC's.
 * @throws QueryFault where the zone is a literal that names none
 */
export function toCivil(
  instant: DuckExpression,
  zone: DuckExpression | undefined,
  at: number,
): DuckExpression {
  const known = knownZone(zone, at);
  if (known === undefined && zone !== undefined) return macro('to_civil', instant, zone);
  if (known !== undefined && 'name' in known) return call('timezone', text(known.name), instant);
  return shifted('+', shownInUtc(instant), known);
}

/**
 * The instant at which a zone's clock shows a civil time, the first where it does twice.
 * @throws QueryFault where the zone is a literal that names none
 */
export function fromCivil(
  civil: DuckExpression,
  zone: DuckExpression | undefined,
  at: number,
): DuckExpression {
  const known = knownZone(zone, at);
  if (known === undefined && zone !== undefined) return macro('from_civil', civil, zone);
  if (known !== undefined && 'name' in known) return macro('instant_in', civil, text(known.name));
  return shownAs('make_timestamptz', shifted('-', civil, known));
}

/** The civil value of a call's first argument, whatever its type. */
export function civilOf(
  value: DuckExpression,
  zone: DuckExpression | undefined,
  { args, at }: Pick<BoundCall, 'args' | 'at'>,
  place = 0,
): DuckExpression {
  const kind = args[place]?.type.kind;
  if (kind === 'TIMESTAMP') return toCivil(value, zone, at);
  if (kind === 'TIME') return shownInUtc(value);
  return kind === 'DATE' ? { kind: 'cast', of: value, type: 'TIMESTAMP', safe: false } : value;
}

/** By its number of microseconds: the engine's `timezone` asks a calendar, which takes 25 times as long. */
function shownAs(type: 'make_timestamp' | 'make_timestamptz', value: DuckExpression) {
  return call(type, call('epoch_us', value));
}

function shownInUtc(instant: DuckExpression): DuckExpression {
  return shownAs('make_timestamp', instant);
}

function knownZone(zone: DuckExpression | undefined, at: number): TimeZone | undefined {
  if (zone?.kind !== 'text') return undefined;
  const known = parseTimeZone(zone.value);
  if (known === undefined) throw new QueryFault(`Invalid time zone: ${zone.value}`, at);
  return known;
}

function shifted(operator: '+' | '-', civil: DuckExpression, zone: TimeZone | undefined) {
  if (zone === undefined || !('minutes' in zone) || zone.minutes === 0) return civil;
  const minutes = { kind: 'number', digits: String(zone.minutes) } as const;
  return infix(operator, civil, call('to_minutes', minutes));
}
