import type { BoundExpression } from '../bound/bound.js';
import { type DuckExpression, duckNull } from '../duckdb-sql/duckdb-sql.js';
import { unlessPlanned } from '../duckdb-sql/may-fail.js';
import { redactCompared } from './redact-matched.js';

type Case = Extract<BoundExpression, { kind: 'case' }>;

interface Lowers {
  readonly lower: (value: BoundExpression) => DuckExpression;
  /** Whether values of logs are redacted before they are compared with a parameter. */
  readonly redact: boolean;
}

/** `CASE a WHEN b THEN c ELSE d END`, also without `a`. */
export function lowerCase(
  { operand, whens, otherwise }: Case,
  { lower, redact }: Lowers,
): DuckExpression {
  const results = whens.map(({ result }) => lower(result));
  const tests = whens.map(({ when }) => when);
  const compared = operand ? [operand, ...tests] : tests;
  const lowered = compared.map(lower);
  const values = redact && operand ? redactCompared(compared, lowered, true) : lowered;
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
