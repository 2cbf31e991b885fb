import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import type { Relation } from './relation.js';

/**
 * What WHERE must ask of rows beside these conditions: not whether a record is there of which one of
 * them compares a field with a constant, since no absent one meets that. Where any condition could
 * fail, all is asked: it must not be evaluated on a row that has no record.
 * `m is not null and m.level = 'x'` -> `m.level = 'x'`
 */
export function withoutImplied(
  { where, present = new Map() }: Pick<Relation, 'where' | 'present'>,
  conditions: readonly DuckExpression[],
): readonly DuckExpression[] {
  if (![...where, ...conditions].every(cannotFail)) return where;
  const implied = [...present]
    .filter(([record]) => conditions.some((condition) => needs(condition, record)))
    .map(([, test]) => test);
  return where.filter((condition) => !implied.includes(condition));
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=', 'LIKE']);

/** Functions that are NULL where an argument is. */
const tests: ReadonlySet<string> = new Set(['contains', 'regexp_matches', 'starts_with']);

/** Whether a condition compares what rows have as it stands with each other or with constants. */
function cannotFail(condition: DuckExpression): boolean {
  if (condition.kind === 'is-null') return isRead(condition.of);
  if (condition.kind === 'infix' && ['AND', 'OR'].includes(condition.operator)) {
    return condition.operands.every(cannotFail);
  }
  return comparedIn(condition)?.every(isRead) ?? false;
}

/** Whether a condition is met by no row that has the record not. */
function needs(condition: DuckExpression, record: DuckExpression): boolean {
  if (condition.kind === 'is-null') return condition.not && isPart(condition.of, record);
  return (comparedIn(condition) ?? []).some((value) => isPart(value, record));
}

/** What a comparison compares; undefined for other conditions. */
function comparedIn(condition: DuckExpression): readonly DuckExpression[] | undefined {
  if (condition.kind === 'infix' && comparisons.has(condition.operator)) return condition.operands;
  const isTest =
    condition.kind === 'call' && condition.path.length === 1 && tests.has(condition.path[0] ?? '');
  return isTest ? condition.args : undefined;
}

function isPart(value: DuckExpression, record: DuckExpression): boolean {
  return value.kind === 'field' && (value.of === record || isPart(value.of, record));
}

/** A column, a field of one, or what is the same for all rows. */
function isRead(value: DuckExpression): boolean {
  if (value.kind === 'field') return isRead(value.of);
  return value.kind === 'column' || isSameForAll(value);
}

/** Whether nothing in it is of a row. */
function isSameForAll(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return true;
  const { kind } = node as { readonly kind?: unknown };
  return !ofRows.has(kind) && Object.values(node).every(isSameForAll);
}

const ofRows: ReadonlySet<unknown> = new Set([
  ...['column', 'name', 'lambda', 'subquery', 'derived', 'table'],
]);
