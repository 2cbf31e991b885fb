import { type DuckExpression, infix } from '../duckdb-sql/duckdb-sql.js';
import { isNeverNull, mayFail } from '../duckdb-sql/may-fail.js';
import type { Emitter } from './definition.js';

/**
 * `AND` or `OR` of which an operand is not computed where an earlier one decides: DuckDB computes all
 * operands on all rows, except in a filter.
 * `a OR f(b)` -> `CASE WHEN a THEN TRUE ELSE a OR f(b) END`
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conditional_expressions
 */
export function shortCircuit(operator: 'AND' | 'OR'): Emitter {
  return (args) => {
    const last = args.findLastIndex(mayFail);
    if (last <= 0) return infix(operator, ...args);
    const guards = args.slice(0, last);
    const rest = [...guards.filter((guard) => !isNeverNull(guard)), ...args.slice(last)];
    const [only] = rest;
    return {
      kind: 'case',
      whens: guards.map((guard) => decides(operator, guard)),
      otherwise: only !== undefined && rest.length === 1 ? only : infix(operator, ...rest),
    };
  };
}

function decides(operator: 'AND' | 'OR', guard: DuckExpression) {
  return operator === 'OR'
    ? ({ when: guard, result: { kind: 'word', word: 'TRUE' } } as const)
    : ({
        when: { kind: 'prefix', operator: 'NOT', operand: guard },
        result: { kind: 'word', word: 'FALSE' },
      } as const);
}
