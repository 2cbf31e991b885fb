import type * as bound from '../bound/bound.js';
import { choose, type DuckExpression, infix, trueValue } from '../duckdb-sql/duckdb-sql.js';
import { failsOnData } from '../duckdb-sql/fails-on-data.js';
import { collectTables } from '../duckdb-sql/list-tables.js';
import { countDuckNodes, someNode } from '../duckdb-sql/map-tree.js';
import { mayFail } from '../duckdb-sql/may-fail.js';
import { lowerExpression } from './lower-expression.js';
import type { Lowering } from './lowering.js';

/**
 * Lowers a filter to conditions, each of which the engine may test as early as possible. In a filter, the
 * engine stops at the first operand of AND and OR that decides, and keeps the order of operands that may fail.
 * `a AND (b OR c)` -> `a`, `b OR c`
 */
export function lowerFilter(
  node: bound.Expression | undefined,
  lowering: Lowering,
): readonly DuckExpression[] {
  if (node === undefined) return [];
  const operator = node.kind === 'call' ? node.function.name : '';
  if (node.kind !== 'call' || !['$AND', '$OR'].includes(operator)) {
    return loweredConjuncts(lowerExpression(node, lowering));
  }
  lowering.countWritten(1);
  const operands = node.args.map((arg) => lowerFilter(arg, lowering));
  return operator === '$AND' ? operands.flat() : [infix('OR', ...operands.map(conjunction))];
}

/**
 * Lowers the condition of a join, which the engine computes on all rows of a side before it matches them.
 * Expressions that may fail are computed only if earlier conditions hold.
 * `t.s <> 'x' AND f(t.s) = u.n` -> `t.s <> 'x' AND CASE WHEN t.s <> 'x' THEN f(t.s) END = u.n`
 */
export function lowerOn(node: bound.Expression, lowering: Lowering): DuckExpression {
  const conditions = chainLate(lowerFilter(node, lowering));
  const guarded = conditions.map((condition, index) => {
    const before = conditions.slice(0, index).filter((one) => !mayFail(one));
    return before.length === 0 ? condition : guardSides(condition, before, lowering);
  });
  return conjunction(guarded);
}

/** `f(t.s) > 1 AND g(t.s) > u.n` -> `CASE WHEN f(t.s) > 1 THEN g(t.s) > u.n END` */
function chainLate(conditions: readonly DuckExpression[]): readonly DuckExpression[] {
  const late = conditions.filter(isLateInOn);
  const last = late.pop();
  if (last === undefined || late.length === 0) return conditions;
  const chain = late.reduceRight((then, when) => choose(when, then), last);
  return conditions.filter((one) => !late.includes(one)).map((one) => (one === last ? chain : one));
}

/** Whether a condition of a join may fail, and is neither a join key nor a join itself. */
export function isLateInOn(condition: DuckExpression): boolean {
  return failsOnData(condition) && !isJoinKey(condition) && !holdsSubquery(condition);
}

/** Whether a tree contains a sub-select. */
export function holdsSubquery(node: object): boolean {
  return someNode(node, ({ kind }) => kind === 'subquery');
}

const comparisons: ReadonlySet<string> = new Set(['=', '<', '<=', '>', '>=']);

/**
 * Guards each side of a comparison by the conditions on its own tables, so that the comparison can still be a join key.
 */
function guardSides(
  condition: DuckExpression,
  before: readonly DuckExpression[],
  { countWritten }: Lowering,
): DuckExpression {
  if (!mayFail(condition)) return condition;
  countWritten(countDuckNodes(before));
  const isComparison = condition.kind === 'infix' && comparisons.has(condition.operator);
  if (!isComparison || (!isJoinKey(condition) && failsOnData(condition))) {
    return choose(conjunction(before), condition);
  }
  const operands = condition.operands.map((operand) => {
    const tables = collectTables(operand);
    const own = before.filter((one) => [...collectTables(one)].every((table) => tables.has(table)));
    return own.length === 0 || !mayFail(operand) ? operand : choose(conjunction(own), operand);
  });
  return { ...condition, operands };
}

/** Whether a condition equates values of two tables: without it as a key, a join could have far more rows. */
export function isJoinKey(condition: DuckExpression): boolean {
  if (condition.kind !== 'infix' || condition.operator !== '=') return false;
  const [left, right] = condition.operands.map((operand) => collectTables(operand));
  if (!left?.size || !right?.size) return false;
  return ![...left].some((table) => right.has(table));
}

/** Joins conditions with AND; TRUE if there are none. */
export function conjunction(conditions: readonly DuckExpression[]): DuckExpression {
  return conditions.length === 0 ? trueValue : infix('AND', ...conditions);
}

/** The operands of an AND, at any depth; any other condition itself. */
export function loweredConjuncts(condition: DuckExpression): readonly DuckExpression[] {
  if (condition.kind !== 'infix' || condition.operator !== 'AND') return [condition];
  return condition.operands.flatMap(loweredConjuncts);
}
