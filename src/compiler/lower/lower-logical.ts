import type * as bound from '../bound/bound.js';
import { type DuckExpression, falseValue, infix, trueValue } from '../duckdb-sql/duckdb-sql.js';
import { isNeverNull, mayFail } from '../duckdb-sql/may-fail.js';

type Lower = (node: bound.Expression) => DuckExpression;

/** The operators that may stop at an operand: DuckDB's operator, and the operator of their negation. */
const operators: Readonly<Record<string, readonly [plain: 'AND' | 'OR', negated: 'AND' | 'OR']>> = {
  $AND: ['AND', 'OR'],
  $OR: ['OR', 'AND'],
};

/**
 * Lowers `AND` or `OR` as a value, which does not compute an operand if an earlier one decides; undefined for
 * any other call. DuckDB stops early only in filters and in the conditions of CASE.
 * `a OR f(b)` -> `CASE WHEN a THEN TRUE ELSE a OR f(b) END`
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conditional_expressions
 */
export function lowerLogical(node: bound.Call, lower: Lower): DuckExpression | undefined {
  const [operator] = operators[node.function.name] ?? [];
  if (operator === undefined) return undefined;
  const values = node.args.map(lower);
  const last = values.findLastIndex(mayFail);
  if (last <= 0) return infix(operator, ...values);
  const isOr = operator === 'OR';
  const rest = values.filter((value, index) => index >= last || !isNeverNull(value));
  return {
    kind: 'case',
    whens: node.args.slice(0, last).map((guard) => ({
      // Not the guard's value, in which each operand occurs twice: nested guards would grow exponentially.
      when: lowerCondition(guard, !isOr, lower),
      result: isOr ? trueValue : falseValue,
    })),
    otherwise: infix(operator, ...rest),
  };
}

/**
 * Lowers a condition or its negation; only rows on which it is true matter. The engine stops at the operand that
 * decides.
 */
function lowerCondition(node: bound.Expression, isNegated: boolean, lower: Lower): DuckExpression {
  if (node.kind === 'call') {
    const [plain, negated] = operators[node.function.name] ?? [];
    if (plain !== undefined && negated !== undefined) {
      const operands = node.args.map((arg) => lowerCondition(arg, isNegated, lower));
      return infix(isNegated ? negated : plain, ...operands);
    }
    const [operand] = node.args;
    if (node.function.name === '$NOT' && operand !== undefined) {
      return lowerCondition(operand, !isNegated, lower);
    }
  }
  const value = lower(node);
  return isNegated ? { kind: 'prefix', operator: 'NOT', operand: value } : value;
}
