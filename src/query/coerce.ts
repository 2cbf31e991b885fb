import type { ScalarName, Type } from '../source/schema.js';
import type { BoundExpression } from './bound.js';
import { readLiteral } from './literal.js';
import { isNumeric, isPlain, plainType, sameType } from './type.js';

/**
 * Types that become another by themselves, nearest first.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_rules
 */
const coercions: Partial<Record<ScalarName, readonly ScalarName[]>> = {
  INT64: ['NUMERIC', 'BIGNUMERIC', 'FLOAT64'],
  NUMERIC: ['BIGNUMERIC', 'FLOAT64'],
  BIGNUMERIC: ['FLOAT64'],
  DATE: ['DATETIME', 'TIMESTAMP'],
  DATETIME: ['TIMESTAMP'],
};

/** Types that a literal or a parameter of STRING becomes by itself. */
const fromText: ReadonlySet<string> = new Set(['DATE', 'DATETIME', 'TIME', 'TIMESTAMP']);

/**
 * How far an expression is from a type, 0 for the same one; undefined where it cannot become it.
 */
export function distance(expression: BoundExpression, to: Type): number | undefined {
  const from = expression.type;
  if (isNullLiteral(expression)) return 1;
  if (sameType(from, to)) return 0;
  if (isGiven(expression) && from.kind === 'STRING' && fromText.has(to.kind)) return 2;
  if (isEmptyArray(expression) && to.kind === 'ARRAY') return 1;
  if (from.kind === 'INT64' && expression.kind === 'literal' && isNumeric(to)) return 1;
  if (from.kind === 'FLOAT64' && expression.kind === 'literal' && isNumeric(to)) {
    return to.kind === 'INT64' ? undefined : 2;
  }
  const place = coercions[from.kind as ScalarName]?.indexOf(to.kind as ScalarName) ?? -1;
  return place < 0 ? undefined : place + 2;
}

/** The expression as a value of a type that {@link distance} says it can become. */
export function coerce(expression: BoundExpression, to: Type, at: number): BoundExpression {
  if (isNullLiteral(expression)) return { kind: 'literal', value: null, type: plainType(to) };
  const value = plain(expression);
  if (sameType(value.type, to)) return value;
  if (isEmptyArray(value) && to.kind === 'ARRAY') return { ...value, type: to } as BoundExpression;
  if (value.kind === 'literal') return readLiteral(value, to, at);
  return { kind: 'cast', of: value, type: to, safe: false };
}

/** The value as the engine holds any other of its type: lists for arrays, only stored fields. */
export function plain(expression: BoundExpression): BoundExpression {
  const isArray = expression.type.kind === 'ARRAY' && expression.kind !== 'array';
  const isStored = expression.kind === 'column' || expression.kind === 'field';
  if (isPlain(expression.type) && !(isArray && isStored)) return expression;
  return { kind: 'plain', of: expression, type: plainType(expression.type) };
}

/**
 * The type that all of the expressions can become, the nearest first; undefined where there is none.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_rules#supertypes
 */
export function supertype(expressions: readonly BoundExpression[]): Type | undefined {
  const typed = expressions.filter((expression) => !isNullLiteral(expression));
  const candidates = typed.flatMap(({ type }) => [
    type,
    ...(coercions[type.kind as ScalarName] ?? []).map((kind): Type => ({ kind })),
  ]);
  const rated = candidates
    .map((type) => ({ type, cost: totalDistance(expressions, type) }))
    .filter(({ cost }) => cost !== undefined)
    .sort((a, b) => (a.cost ?? 0) - (b.cost ?? 0));
  const best = rated[0]?.type ?? (typed.length === 0 ? expressions[0]?.type : undefined);
  return best && plainType(best);
}

function totalDistance(expressions: readonly BoundExpression[], type: Type): number | undefined {
  let total = 0;
  for (const expression of expressions) {
    const step = distance(expression, type);
    if (step === undefined) return undefined;
    total += step;
  }
  return total;
}

/** A NULL that has no type of its own. */
export function isNullLiteral(expression: BoundExpression): boolean {
  return expression.kind === 'literal' && expression.value === null;
}

/** Whether a value stands in the text or was given with the request. */
export function isGiven(expression: BoundExpression): boolean {
  return expression.kind === 'literal' || expression.kind === 'parameter';
}

function isEmptyArray(expression: BoundExpression): boolean {
  return expression.kind === 'array' && expression.elements.length === 0;
}
