import { choose, type DuckExpression, infix, integer, macro, text } from './duckdb-sql.js';

/**
 * Returns the count, or fails with the message if it is less than `min` or NULL: DuckDB treats NULL as no
 * limit and counts negative numbers from the end. Literals were checked when they were resolved.
 */
export function checkMin(min: number, count: DuckExpression, message: string): DuckExpression {
  const number = count.kind === 'cast' ? count.of : count;
  if (number.kind === 'number') return count;
  return choose(infix('>=', count, integer(min)), count, macro('fail_int64', text(message)));
}

/** The count of LIMIT or OFFSET, or a failure if it is negative or NULL. */
export function checkRowCount(count: DuckExpression): DuckExpression {
  return checkMin(0, count, 'LIMIT and OFFSET must not be NULL or negative');
}
