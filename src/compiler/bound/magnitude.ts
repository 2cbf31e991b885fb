import type * as bound from './bound.js';

/** The largest absolute value of a type, as a double; types that are not listed have no limit. */
const typeLimits: Readonly<Record<string, number>> = {
  INT64: 2 ** 63,
  NUMERIC: 1e30,
  BIGNUMERIC: 1e39,
};

const unlimited = Number.POSITIVE_INFINITY;

/** The limit of a call, from the limits of its arguments. */
type CallLimit = (limits: readonly number[], node: bound.Call) => number;

const callLimits: Readonly<Record<string, CallLimit>> = {
  '$+': ([a = unlimited, b = unlimited]) => a + b,
  '$-': ([a = unlimited, b = unlimited]) => a + b,
  '$*': ([a = unlimited, b = unlimited]) => a * b,
  '$/': quotient,
  safe_add: ([a = unlimited, b = unlimited]) => a + b,
  safe_divide: quotient,
  safe_multiply: ([a = unlimited, b = unlimited]) => a * b,
  safe_subtract: ([a = unlimited, b = unlimited]) => a + b,
  $negate: largest,
  abs: largest,
  round: ([a = unlimited]) => a * 10 + 1,
  sqrt: ([a = unlimited]) => a + 1,
  if: ([, ...results]) => largest(results),
  coalesce: largest,
  ifnull: largest,
  nullif: largest,
  greatest: largest,
  least: largest,
};

/**
 * An upper bound of the absolute value of an expression; Infinity if there is none, or if the value
 * may be infinite or NaN.
 */
export function maxMagnitude(expression: bound.Expression): number {
  const { kind } = expression;
  const typed = typeLimits[expression.type.kind];
  if (kind === 'literal') return expression.value === null ? 0 : textMagnitude(expression.value);
  if (typed !== undefined) return typed;
  if (kind === 'cast') return typeLimits[expression.of.type.kind] ?? unlimited;
  return kind === 'call' ? limitOfCall(expression) : unlimited;
}

/** Cached, because each operator of a chain needs the limits of all operators below it. */
const cache = new WeakMap<bound.Call, number>();

function limitOfCall(node: bound.Call): number {
  const limit =
    cache.get(node) ??
    callLimits[node.function.name]?.(node.args.map(maxMagnitude), node) ??
    unlimited;
  cache.set(node, limit);
  return limit;
}

function quotient([a = unlimited]: readonly number[], { args }: bound.Call): number {
  return a / minMagnitude(args[1]);
}

function largest(limits: readonly number[]): number {
  return Math.max(...limits);
}

function textMagnitude(value: string): number {
  const magnitude = Math.abs(Number(value));
  return Number.isNaN(magnitude) ? unlimited : magnitude;
}

/** A lower bound of the absolute value of a divisor other than zero. */
function minMagnitude(divisor: bound.Expression | undefined): number {
  if (divisor === undefined) return 0;
  if (divisor.kind === 'literal') return textMagnitude(divisor.value ?? '') || 1;
  const { kind } = divisor.kind === 'cast' ? divisor.of.type : divisor.type;
  if (kind === 'INT64') return 1;
  return kind === 'NUMERIC' ? 1e-9 : 0;
}
