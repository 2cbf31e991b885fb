import type { Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { type DuckExpression, nullValue } from '../duckdb-sql/duckdb-sql.js';
import type { Lowering } from './lowering.js';

/** Creates a column that only the lowered statement has; its id is below zero. */
export function newColumn(
  type: Type,
  lowering: Lowering,
  value: DuckExpression = nullValue,
): bound.Column {
  const column = { id: -lowering.columns.size, name: '', type, isLogField: false };
  lowering.columns.set(column.id, value);
  return column;
}
