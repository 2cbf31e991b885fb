import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { letMacro, letOnce } from '../duckdb-sql/let.js';
import { lengths, noSuchPart, timeParts } from './date-part.js';
import type { Emitter } from './definition.js';

/** The interval parts that can be added to a type; all can be added to a DATETIME. */
const addedParts: Readonly<Record<string, readonly string[]>> = {
  DATE: ['DAY', 'WEEK', 'MONTH', 'QUARTER', 'YEAR'],
  TIME: timeParts,
  TIMESTAMP: Object.keys(lengths),
};

/** `DATE_ADD(d, INTERVAL 1 DAY)`, `DATE_SUB` and so on. The value keeps its type. */
export function addInterval(operator: '+' | '-'): Emitter {
  return ([value = d.nullValue, interval = d.nullValue], node) => {
    const kind = node.type.kind;
    const part = intervalPart(node.args[1]);
    if (part !== undefined && addedParts[kind]?.includes(part) === false) {
      throw noSuchPart(node.function.name, part, kind, node.at);
    }
    return add(operator, [value, interval], node);
  };
}

/** `+` and `-` with a date, a time or an interval; `numeric` for all other operands. */
export function dateArithmetic(operator: '+' | '-', numeric: Emitter): Emitter {
  return (args, node, clauses) => {
    const kinds = node.args.map(({ type }) => type.kind);
    const isDated = kinds.some((kind) => kind === 'INTERVAL' || differences[kind] !== undefined);
    if (!isDated) return numeric(args, node, clauses);
    return letOnce(args, ([left = d.nullValue, right = d.nullValue]) =>
      addOrSubtract(operator, [left, right], node),
    );
  };
}

function addOrSubtract(operator: '+' | '-', [left, right]: Pair, node: bound.Call): DuckExpression {
  const [a = '', b = ''] = node.args.map(({ type }) => type.kind);
  if (a === 'INTERVAL' && b === 'INTERVAL') return d.infix(operator, left, right);
  if (b === 'INTERVAL') return add(operator, [left, right], node);
  if (a === 'INTERVAL') return add(operator, [right, left], node);
  if (b === 'INT64') return addDays(operator, [left, right]);
  if (a === 'INT64') return addDays(operator, [right, left]);
  return differences[a]?.(left, right) ?? d.infix(operator, left, right);
}

/** `interval * 2` and `interval / 2` as calls of a macro. */
export function intervalTimes(name: string): Emitter {
  return (args, node) =>
    letMacro(name, ...(node.args[1]?.type.kind === 'INTERVAL' ? args.toReversed() : args));
}

/** The difference of two values, by type. */
const differences: Readonly<
  Record<string, (a: DuckExpression, b: DuckExpression) => DuckExpression>
> = {
  DATE: (a, b) => d.call('to_days', d.infix('-', a, b)),
  DATETIME: (a, b) => d.infix('-', a, b),
  TIME: differenceInMicros,
  TIMESTAMP: differenceInMicros,
};

function differenceInMicros(a: DuckExpression, b: DuckExpression): DuckExpression {
  return d.call('to_microseconds', d.infix('-', d.call('epoch_us', a), d.call('epoch_us', b)));
}

type Pair = readonly [value: DuckExpression, added: DuckExpression];

function addDays(operator: '+' | '-', [date, days]: Pair): DuckExpression {
  const message = overflow(operator, 'DATE');
  return d.macro('date_checked', d.infix(operator, date, d.macro('days', days)), message);
}

function add(operator: '+' | '-', [value, interval]: Pair, node: bound.Call): DuckExpression {
  const kind = node.type.kind;
  const sum = (base: DuckExpression, step: DuckExpression) => {
    if (kind === 'TIME') return d.infix(operator, base, step);
    const isDate = kind === 'DATETIME' && node.args.some((arg) => arg.type.kind === 'DATE');
    const start = isDate ? d.castTo(base, 'TIMESTAMP') : base;
    const moved = d.infix(operator, start, step);
    return d.macro(`${kind.toLowerCase()}_checked`, moved, overflow(operator, kind));
  };
  const check = intervalCheck(kind, node);
  if (check === undefined) return sum(value, interval);
  return letOnce([value, interval], ([base = value, step = interval]) =>
    d.choose(d.infix('IS NOT', base, d.nullValue), sum(base, d.macro(check, step))),
  );
}

function overflow(operator: '+' | '-', kind: string): DuckExpression {
  const what = operator === '+' ? 'Adding an interval to' : 'Subtracting an interval from';
  return d.text(`${what} a ${kind} causes overflow`);
}

/**
 * The macro that checks an interval added to a value of this type: one added to a TIME has neither days nor months, and
 * one added to a TIMESTAMP has no months, whose length varies. Undefined if its part is one that can be added.
 */
function intervalCheck(kind: string, { args, at }: bound.Call): string | undefined {
  const argument = args.find((arg) => arg.type.kind === 'INTERVAL');
  const part = intervalPart(argument);
  if (kind === 'TIME') return timeParts.includes(part ?? '') ? undefined : 'no_days';
  if (kind !== 'TIMESTAMP' || (part !== undefined && lengths[part] !== undefined)) return undefined;
  const isKnown = part !== undefined && part !== 'WEEK';
  const months = argument?.kind === 'literal' ? Number.parseInt(argument.value ?? '0', 10) : 0;
  if (!isKnown && months === 0) return 'no_months';
  const message =
    'TIMESTAMP +/- INTERVAL is not supported for intervals with non-zero MONTH or YEAR part.';
  throw new QueryFault(message, at);
}

/** The part of `INTERVAL n part`; undefined for any other interval. */
function intervalPart(interval: bound.Expression | undefined): string | undefined {
  if (interval?.kind !== 'call' || interval.function.name !== '$interval') return undefined;
  const part = interval.args[1];
  return part?.kind === 'part' ? part.part : undefined;
}
