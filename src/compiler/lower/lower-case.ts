import type { BoundExpression } from '../bound/bound.js';
import { type DuckExpression, duckNull } from '../duckdb-sql/duckdb-sql.js';
import { unlessPlanned } from '../duckdb-sql/may-fail.js';

type Case = Extract<BoundExpression, { kind: 'case' }>;

/** `CASE a WHEN b THEN c ELSE d END`, also without `a`. */
export function lowerCase(
  { operand, whens, otherwise }: Case,
  lower: (value: BoundExpression) => DuckExpression,
): DuckExpression {
  const results = whens.map(({ result }) => lower(result));
  const tests = whens.map(({ when }) => when);
  const compared = operand ? [operand, ...tests] : tests;
  const values = compared.map(lower);
  return {
    kind: 'case',
    ...(operand && { operand: values[0] ?? duckNull }),
    whens: values.slice(operand ? 1 : 0).map((when, index) => {
      const test = operand ? when : unlessPlanned(when);
      return { when: test, result: results[index] ?? duckNull };
    }),
    otherwise: lower(otherwise),
  };
}
