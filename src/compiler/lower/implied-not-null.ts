import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import { mayFail } from '../duckdb-sql/may-fail.js';
import type { Relation } from './relation.js';

/**
 * Drops the conditions of a relation that the given conditions imply. A record need not be tested for NULL if one of
 * its fields is compared: NULL never passes a comparison. If any condition could fail, all tests stay, so that no
 * row without the record reaches that condition.
 * `m is not null and m.level = 'x'` -> `m.level = 'x'`
 */
export function withoutImplied(
  { where, notNull = new Map() }: Pick<Relation, 'where' | 'notNull'>,
  conditions: readonly DuckExpression[],
): readonly DuckExpression[] {
  if ([...where, ...conditions].some(mayFail)) return where;
  const implied = [...notNull]
    .filter(([record]) => conditions.some((condition) => rejectsNull(condition, record)))
    .map(([, test]) => test);
  return where.filter((condition) => !implied.includes(condition));
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=', 'LIKE']);

/** Functions that return NULL if an argument is NULL. */
const nullRejecting: ReadonlySet<string> = new Set(['contains', 'regexp_matches', 'starts_with']);

/** Whether a condition is never true if the record is NULL. */
function rejectsNull(condition: DuckExpression, record: DuckExpression): boolean {
  if (condition.kind === 'is-null') return condition.not && isPart(condition.of, record);
  return comparedIn(condition).some((value) => isPart(value, record));
}

/** The operands of a comparison; none for other conditions. */
function comparedIn(condition: DuckExpression): readonly DuckExpression[] {
  if (condition.kind === 'infix') {
    return comparisons.has(condition.operator) ? condition.operands : [];
  }
  if (condition.kind !== 'call' || condition.path.length > 1) return [];
  return nullRejecting.has(condition.path[0] ?? '') ? condition.args : [];
}

function isPart(value: DuckExpression, record: DuckExpression): boolean {
  return value.kind === 'field' && (value.of === record || isPart(value.of, record));
}
