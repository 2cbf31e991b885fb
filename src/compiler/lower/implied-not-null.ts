import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import { someNode } from '../duckdb-sql/map-tree.js';
import type { Relation } from './relation.js';

/**
 * Drops the conditions of a relation that the given conditions imply. A record need not be tested for NULL if one of
 * its fields is compared: NULL never passes a comparison. If any condition could fail, all tests stay, so that it is
 * not evaluated on a row without the record.
 * `m is not null and m.level = 'x'` -> `m.level = 'x'`
 */
export function withoutImplied(
  { where, notNull = new Map() }: Pick<Relation, 'where' | 'notNull'>,
  conditions: readonly DuckExpression[],
): readonly DuckExpression[] {
  if (![...where, ...conditions].every(cannotFail)) return where;
  const implied = [...notNull]
    .filter(([record]) => conditions.some((condition) => rejectsNull(condition, record)))
    .map(([, test]) => test);
  return where.filter((condition) => !implied.includes(condition));
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=', 'LIKE']);

/** Functions that return NULL if an argument is NULL. */
const nullRejecting: ReadonlySet<string> = new Set(['contains', 'regexp_matches', 'starts_with']);

/** Whether a condition cannot fail, because it only compares stored values and constants. */
function cannotFail(condition: DuckExpression): boolean {
  if (condition.kind === 'is-null') return isStoredOrConstant(condition.of);
  if (condition.kind === 'infix' && ['AND', 'OR'].includes(condition.operator)) {
    return condition.operands.every(cannotFail);
  }
  return comparedIn(condition)?.every(isStoredOrConstant) ?? false;
}

/** Whether a condition is never true if the record is NULL. */
function rejectsNull(condition: DuckExpression, record: DuckExpression): boolean {
  if (condition.kind === 'is-null') return condition.not && isPart(condition.of, record);
  return (comparedIn(condition) ?? []).some((value) => isPart(value, record));
}

/** The operands of a comparison; undefined for other conditions. */
function comparedIn(condition: DuckExpression): readonly DuckExpression[] | undefined {
  if (condition.kind === 'infix' && comparisons.has(condition.operator)) return condition.operands;
  const isTest =
    condition.kind === 'call' &&
    condition.path.length === 1 &&
    nullRejecting.has(condition.path[0] ?? '');
  return isTest ? condition.args : undefined;
}

function isPart(value: DuckExpression, record: DuckExpression): boolean {
  return value.kind === 'field' && (value.of === record || isPart(value.of, record));
}

/** Whether a value is a column, a column's field, or a constant. */
function isStoredOrConstant(value: DuckExpression): boolean {
  if (value.kind === 'field') return isStoredOrConstant(value.of);
  return value.kind === 'column' || !someNode(value, ({ kind }) => rowKinds.has(kind));
}

const rowKinds: ReadonlySet<string> = new Set([
  ...['column', 'name', 'lambda', 'subquery', 'derived', 'table'],
]);
