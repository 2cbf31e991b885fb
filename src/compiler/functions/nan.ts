import type * as bound from '../bound/bound.js';
import { call, type DuckExpression, type DuckOrder } from '../duckdb-sql/duckdb-sql.js';

/** Whether a value may be NaN, judging by its expression. */
export function mayBeNan(expression: bound.Expression): boolean {
  if (expression.type.kind !== 'FLOAT64') return false;
  if (expression.kind === 'literal' || expression.kind === 'parameter') return false;
  if (expression.kind === 'cast') return ['STRING', 'FLOAT64'].includes(expression.of.type.kind);
  return true;
}

/** The sort key that precedes a key that may be NaN: BigQuery sorts NaN below all numbers, DuckDB above. */
export function nanKeys(
  item: bound.Order,
  key: bound.Expression,
  lower: (key: bound.Expression) => DuckExpression,
): readonly DuckOrder[] {
  if (!mayBeNan(key)) return [];
  const { descending, nulls = descending ? 'LAST' : 'FIRST' } = item;
  return [{ value: call('isnan', lower(key)), descending: !descending, nulls }];
}
