import type { DuckExpression } from './duck.js';
import type { Relation } from './relation.js';

/**
 * What WHERE must ask of rows beside these conditions: not whether a record is there of which one of
 * them compares a field with a constant, since no absent one meets that.
 * `m is not null and m.level = 'x'` -> `m.level = 'x'`
 */
export function withoutImplied(
  { where, present = new Map() }: Pick<Relation, 'where' | 'present'>,
  conditions: readonly DuckExpression[],
): readonly DuckExpression[] {
  const implied = [...present]
    .filter(([record]) => conditions.some((condition) => needs(condition, record)))
    .map(([, test]) => test);
  return where.filter((condition) => !implied.includes(condition));
}

const comparisons: ReadonlySet<string> = new Set(['=', '<>', '<', '<=', '>', '>=', 'LIKE']);

/** Functions that are NULL where an argument is. */
const tests: ReadonlySet<string> = new Set(['contains', 'regexp_matches', 'starts_with']);

/** Whether a condition is met by no row that has the record not. */
function needs(condition: DuckExpression, record: DuckExpression): boolean {
  switch (condition.kind) {
    case 'infix':
      return comparisons.has(condition.operator) && compares(condition.operands, record);
    case 'call':
      return (
        condition.path.length === 1 &&
        tests.has(condition.path[0] ?? '') &&
        compares(condition.args, record)
      );
    case 'is-null':
      return condition.not && isPart(condition.of, record);
    default:
      return false;
  }
}

/** Anything else beside the field could fail on rows that have no record. */
function compares(values: readonly DuckExpression[], record: DuckExpression): boolean {
  return (
    values.some((value) => isPart(value, record)) &&
    values.every((value) => isPart(value, record) || isConstant(value))
  );
}

function isPart(value: DuckExpression, record: DuckExpression): boolean {
  return value.kind === 'field' && (value.of === record || isPart(value.of, record));
}

function isConstant(value: DuckExpression): boolean {
  if (value.kind === 'cast') return isConstant(value.of);
  return value.kind === 'text' || value.kind === 'number' || value.kind === 'parameter';
}
