import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { letOnce } from '../duckdb-sql/let.js';
import * as parts from './date-part.js';
import type { FunctionDefinition } from './definition.js';
import { civilTime, fromCivil, toCivil } from './zone.js';

/** Makes the arguments of each function variables, so that its emitter may repeat them. */
export function withLet(table: readonly FunctionDefinition[]): readonly FunctionDefinition[] {
  return table.map((definition) => ({
    ...definition,
    emit: (args, node, clauses) =>
      letOnce(args, (variables) => definition.emit(variables, node, clauses)),
  }));
}

/** The time of the request. */
export const clock: DuckExpression = d.castTo({ kind: 'parameter', name: 'now' }, 'TIMESTAMPTZ');

/** `CURRENT_DATE('Europe/Rome')`, `CURRENT_TIME` and so on. */
export function current([zone]: readonly DuckExpression[], { type, at }: bound.Call) {
  return d.castTo(toCivil(clock, zone, at), duckType(type));
}

/** The civil time of the first argument in the zone of the second, as a value of the call's type. */
export function asCivil(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [value = d.nullValue, zone] = args;
  const { kind } = node.type;
  const civil = d.castTo(civilTime(value, zone, node), duckType(node.type));
  if (zone === undefined || kind === 'TIME') return civil;
  return checked(civil, kind, `The ${kind} in the time zone is out of range`);
}

/** Fails with a message if a value is out of the range of its type. */
function checked(value: DuckExpression, kind: string, message: string): DuckExpression {
  return d.macro(`${kind.toLowerCase()}_checked`, value, d.text(message));
}

/** `TIMESTAMP_TRUNC(t, HOUR, 'Asia/Kolkata')`, `DATE_TRUNC` and so on. The value keeps its type. */
export function truncate(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [value = d.nullValue, part, zone] = args;
  const word = parts.partWord(part, node);
  const { kind } = node.type;
  if (kind === 'TIMESTAMP') {
    const cut = truncateInstant(value, word, { zone, at: node.at });
    return parts.isWeek(word) || zone !== undefined ? inYearOne([value, cut], kind, word) : cut;
  }
  const cut = parts.truncateCivil(civilTime(value, undefined, node), word);
  const typed = kind === 'DATETIME' ? cut : d.castTo(cut, kind);
  return parts.isWeek(word) ? inYearOne([value, typed], kind, word) : typed;
}

const firstWeeks: Readonly<Record<string, DuckExpression>> = {
  DATE: d.castTo(d.text('0001-01-08'), 'DATE'),
  DATETIME: d.castTo(d.text('0001-01-08'), 'TIMESTAMP'),
  TIMESTAMP: d.castTo(d.text('0001-01-10 00:00:00+00'), 'TIMESTAMPTZ'),
};

/** Returns the truncated value; in the first weeks of the year 1, checks that it is in range. */
function inYearOne(
  [value, cut]: readonly [DuckExpression, DuckExpression],
  kind: string,
  part: string,
): DuckExpression {
  const message = `Truncating a ${kind} to ${part} resulted in a value out of range`;
  const isEarly = d.infix('<', value, firstWeeks[kind] ?? d.nullValue);
  return d.choose(isEarly, checked(cut, kind, message), cut);
}

function truncateInstant(
  value: DuckExpression,
  part: string,
  { zone, at }: { readonly zone: DuckExpression | undefined; readonly at: number },
): DuckExpression {
  const length = parts.lengths[part];
  if (length !== undefined && zone === undefined) {
    return d.macro('timestamp_floor', value, d.integer(length));
  }
  const civil = toCivil(value, zone, at);
  // Truncate the instant: the civil time would be ambiguous in an hour that occurs twice.
  if (length !== undefined && part !== 'DAY') {
    return d.macro('zoned_floor', value, civil, d.integer(length));
  }
  return fromCivil(parts.truncateCivil(civil, part), zone, at);
}

/** `DATE_DIFF(end, start, part)`: counts the boundaries between civil times, or the whole parts between instants. */
export function difference(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [end = d.nullValue, start = d.nullValue, part] = args;
  const word = parts.partWord(part, node);
  const kind = node.args[0]?.type.kind;
  if (kind !== 'TIMESTAMP') {
    const [a, b] = [civilTime(start, undefined, node, 1), civilTime(end, undefined, node)];
    return parts.countParts(b, a, word);
  }
  const length = parts.lengths[word];
  if (length === undefined) throw parts.noSuchPart(node.function.name, word, kind, node.at);
  const micros = d.infix('-', d.call('epoch_us', end), d.call('epoch_us', start));
  return d.infix('//', micros, d.integer(length));
}

/** `LAST_DAY(d[, part])`, by default of the month. */
export function lastDay(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [value = d.nullValue, part] = args;
  const word = part === undefined ? 'MONTH' : parts.partWord(part, node);
  const last = parts.lastDayInPart(civilTime(value, undefined, node), word);
  if (!parts.isWeek(word) && word !== 'ISOYEAR') return last;
  const isLate = d.infix('>', value, d.castTo(d.text('9999-12-24'), 'DATE'));
  return d.choose(
    isLate,
    checked(last, 'DATE', `The last day of the ${word} is out of range`),
    last,
  );
}

/** `DATE_BUCKET(d, INTERVAL 2 DAY[, origin])` and so on; the default origin is the manual's. */
export function bucket(args: readonly DuckExpression[], { type }: bound.Call): DuckExpression {
  const origin = d.castTo(d.text('1950-01-01 00:00:00+00'), duckType(type));
  const [value = d.nullValue, width = d.nullValue, from = origin] = args;
  // DuckDB's arithmetic of instants goes through calendars of time zones.
  const isInstant = type.kind === 'TIMESTAMP';
  const [at, start] = [value, from].map((one) =>
    isInstant ? d.macro('timestamp_to_datetime', one) : one,
  );
  const civil = d.macro('bucket', width, at ?? d.nullValue, start ?? d.nullValue);
  const lower = isInstant
    ? d.macro('datetime_to_timestamp', civil)
    : d.castTo(civil, duckType(type));
  return checked(lower, type.kind, 'The bucket begins out of range');
}
