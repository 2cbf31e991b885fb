import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import {
  countParts,
  isWeek,
  lastDayOf,
  lengths,
  noSuchPart,
  partWord,
  truncateCivil,
} from './date-part.js';
import type { Emitter, FunctionDefinition } from './definition.js';
import { civilOf, fromCivil, toCivil } from './zone.js';

/** Makes the arguments of each function variables, so that its emitter may repeat them. */
export function withLet(table: readonly FunctionDefinition[]): readonly FunctionDefinition[] {
  return table.map((definition) => ({
    ...definition,
    emit: (args, node, clauses) =>
      letOnce(args, (variables) => definition.emit(variables, node, clauses)),
  }));
}

/** An emitter of calls without clauses. */
type Write = (args: readonly DuckExpression[], node: bound.Call) => DuckExpression;

/** The time of the request. */
export const clock: DuckExpression = d.castTo({ kind: 'parameter', name: 'now' }, 'TIMESTAMPTZ');

/** `CURRENT_DATE('Europe/Rome')`, `CURRENT_TIME` and so on, as a value of a DuckDB type. */
export function current(type: string): Emitter {
  return ([zone], { at }) => d.castTo(toCivil(clock, zone, at), type);
}

/** The civil time of the first argument in the zone of the second, as a value of a DuckDB type. */
export function asCivil(type: string): Write {
  return ([value = d.nullValue, zone], node) => {
    const civil = d.castTo(civilOf(value, zone, node), type);
    if (zone === undefined || type === 'TIME') return civil;
    const name = node.type.kind;
    const message = d.text(`The ${name} in the time zone is out of range`);
    return d.macro(`${name.toLowerCase()}_checked`, civil, message);
  };
}

/** `DATE(2026, 3, 10)` or `TIME(12, 0, 0)`, which a macro computes; other calls are left to `write`. */
export function fromParts(name: string, write: Write): Write {
  return (args, node) => (args.length === 3 ? d.macro(name, ...args) : write(args, node));
}

/** `DATE(x)` of a computed STRING, which a macro parses; other calls are left to `write`. */
export function fromText(name: string, write: Write): Write {
  return (args, node) =>
    node.args[0]?.type.kind === 'STRING' ? d.macro(name, ...args) : write(args, node);
}

/** `TIMESTAMP_TRUNC(t, HOUR, 'Asia/Kolkata')`, `DATE_TRUNC` and so on. The value keeps its type. */
export function truncate(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [value = d.nullValue, part, zone] = args;
  const word = partWord(part, node);
  const { kind } = node.type;
  if (kind === 'TIMESTAMP') {
    const cut = truncateInstant(value, word, { zone, at: node.at });
    return isWeek(word) || zone !== undefined ? inYearOne([value, cut], kind, word) : cut;
  }
  const cut = truncateCivil(civilOf(value, undefined, node), word);
  const typed = kind === 'DATETIME' ? cut : d.castTo(cut, kind);
  return isWeek(word) ? inYearOne([value, typed], kind, word) : typed;
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
  const message = d.text(`Truncating a ${kind} to ${part} resulted in a value out of range`);
  const checked = d.macro(`${kind.toLowerCase()}_checked`, cut, message);
  return d.choose(d.infix('<', value, firstWeeks[kind] ?? d.nullValue), checked, cut);
}

function truncateInstant(
  value: DuckExpression,
  part: string,
  { zone, at }: { readonly zone: DuckExpression | undefined; readonly at: number },
): DuckExpression {
  const length = lengths[part];
  if (length !== undefined && zone === undefined) {
    return d.macro('timestamp_floor', value, d.integer(length));
  }
  const civil = toCivil(value, zone, at);
  // Truncate the instant: the civil time would be ambiguous in an hour that occurs twice.
  if (length !== undefined && part !== 'DAY') {
    return d.macro('zoned_floor', value, civil, d.integer(length));
  }
  return fromCivil(truncateCivil(civil, part), zone, at);
}

/** `DATE_DIFF(end, start, part)`: counts the boundaries between civil times, or the whole parts between instants. */
export function difference(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [end = d.nullValue, start = d.nullValue, part] = args;
  const word = partWord(part, node);
  const kind = node.args[0]?.type.kind;
  if (kind !== 'TIMESTAMP') {
    const [a, b] = [civilOf(start, undefined, node, 1), civilOf(end, undefined, node)];
    return countParts(b, a, word);
  }
  const length = lengths[word];
  if (length === undefined) throw noSuchPart(node.function.name, word, kind, node.at);
  const micros = d.infix('-', d.call('epoch_us', end), d.call('epoch_us', start));
  return d.infix('//', micros, d.integer(length));
}

/** `LAST_DAY(d[, part])`, by default of the month. */
export function lastDay(args: readonly DuckExpression[], node: bound.Call): DuckExpression {
  const [value = d.nullValue, part] = args;
  const word = part === undefined ? 'MONTH' : partWord(part, node);
  const last = lastDayOf(civilOf(value, undefined, node), word);
  if (!isWeek(word) && word !== 'ISOYEAR') return last;
  const message = d.text(`The last day of the ${word} is out of range`);
  const isLate = d.infix('>', value, d.castTo(d.text('9999-12-24'), 'DATE'));
  return d.choose(isLate, d.macro('date_checked', last, message), last);
}

/** `DATE_BUCKET(d, INTERVAL 2 DAY[, origin])` and so on; the default origin is the manual's. */
export function bucket(type: string): Emitter {
  return ([value = d.nullValue, width = d.nullValue, origin], { type: { kind } }) => {
    const from = origin ?? d.castTo(d.text('1950-01-01 00:00:00+00'), type);
    const lower = d.castTo(d.macro('bucket', width, value, from), type);
    return d.macro(
      `${kind.toLowerCase()}_checked`,
      lower,
      d.text('The bucket begins out of range'),
    );
  };
}
