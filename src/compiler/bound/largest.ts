import type { BoundCall, BoundExpression } from './bound.js';

/** The greatest number of a type, as a double; what is not here has none. */
const ofType: Readonly<Record<string, number>> = {
  INT64: 2 ** 63,
  NUMERIC: 1e30,
  BIGNUMERIC: 1e39,
};

const none = Number.POSITIVE_INFINITY;

type Of = (sizes: readonly number[], node: BoundCall) => number;

/** What operators make of their operands' sizes. */
const ofCall: Readonly<Record<string, Of>> = {
  '$+': ([a = none, b = none]) => a + b,
  '$-': ([a = none, b = none]) => a + b,
  '$*': ([a = none, b = none]) => a * b,
  '$/': quotient,
  safe_add: ([a = none, b = none]) => a + b,
  safe_divide: quotient,
  safe_multiply: ([a = none, b = none]) => a * b,
  safe_subtract: ([a = none, b = none]) => a + b,
  $negate: greatest,
  abs: greatest,
  round: ([a = none]) => a * 10 + 1,
  sqrt: ([a = none]) => a + 1,
  if: ([, ...results]) => greatest(results),
  coalesce: greatest,
  ifnull: greatest,
  nullif: greatest,
  greatest,
  least: greatest,
};

/**
 * No value of the expression is further from zero than this, as far as its form tells; Infinity where
 * it may be infinite or NaN, too.
 */
export function largest(expression: BoundExpression): number {
  const { kind } = expression;
  const typed = ofType[expression.type.kind];
  if (kind === 'literal') return expression.value === null ? 0 : sizeOf(expression.value);
  if (typed !== undefined) return typed;
  if (kind === 'cast') return ofType[expression.of.type.kind] ?? none;
  return kind === 'call' ? sizeOfCall(expression) : none;
}

/** Kept, since each operator of a chain asks for all that stand below it. */
const known = new WeakMap<BoundCall, number>();

function sizeOfCall(node: BoundCall): number {
  const size =
    known.get(node) ?? ofCall[node.function.name]?.(node.args.map(largest), node) ?? none;
  known.set(node, size);
  return size;
}

function quotient([a = none]: readonly number[], { args }: BoundCall): number {
  return a / least(args[1]);
}

function greatest(sizes: readonly number[]): number {
  return Math.max(...sizes);
}

function sizeOf(value: string): number {
  const size = Math.abs(Number(value));
  return Number.isNaN(size) ? none : size;
}

/** The least that a divisor can be: one of zero gives no quotient. */
function least(divisor: BoundExpression | undefined): number {
  if (divisor === undefined) return 0;
  if (divisor.kind === 'literal') return sizeOf(divisor.value ?? '') || 1;
  const { kind } = divisor.kind === 'cast' ? divisor.of.type : divisor.type;
  if (kind === 'INT64') return 1;
  return kind === 'NUMERIC' ? 1e-9 : 0;
}
