import { castTo, choose, type DuckExpression, infix, integer, text } from './duckdb-sql.js';

/**
 * A number that a parameter says, or the failure of the query with a message, which `engine-error.ts` knows,
 * where it is less or NULL: the engine takes NULL for no limit, and counts what is negative from the end.
 * A literal has been looked at before.
 */
export function atLeast(least: number, count: DuckExpression, message: string): DuckExpression {
  const number = count.kind === 'cast' ? count.of : count;
  if (number.kind === 'number') return count;
  return choose(infix('>=', count, integer(least)), count, castTo(text(message), 'BIGINT'));
}

/** What LIMIT or OFFSET says. */
export function rowCount(count: DuckExpression): DuckExpression {
  return atLeast(0, count, 'LIMIT and OFFSET must not be NULL or negative');
}
