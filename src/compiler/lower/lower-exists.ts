import type * as bound from '../bound/bound.js';
import { hasSubquery } from '../bound/search.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { filterList } from './filter-list.js';
import { conjunction } from './lower-condition.js';
import { lowerExpression } from './lower-expression.js';
import { lowerFrom } from './lower-from.js';
import type { Lowering } from './lowering.js';

/**
 * Writes EXISTS of a query over records of the current row as a condition on that row: DuckDB would plan a
 * sub-select as a join of the table with itself.
 * `exists (select 1 from unnest(t.m) x where x.a = 1)` -> `coalesce(t.m is not null and t.m.a = 1, false)`,
 * and for a list `len(list_filter(t.m, lambda x: x.a = 1)) > 0`
 */
export function lowerExists(query: bound.Query, lowering: Lowering): d.DuckExpression | undefined {
  const { body } = query;
  const isBare = query.ctes.length === 0 && query.limit === undefined;
  if (body.kind !== 'select' || !isBare || body.grouping !== undefined) return undefined;
  const { from } = body;
  if (isRowless(from)) {
    const { where } = lowerFrom(from, lowering);
    return neverNull([...where, ...(body.where ? [lowerExpression(body.where, lowering)] : [])]);
  }
  const isList = from.kind === 'unnest' && from.join === 'CROSS' && from.offset === undefined;
  // DuckDB does not allow sub-selects in lambdas.
  if (body.where !== undefined && hasSubquery(body.where)) return undefined;
  return isList && isRowless(from.left) ? someElement(from, body, lowering) : undefined;
}

/** Whether FROM reads only records of the current row, with at most one element each. */
function isRowless(from: bound.From): boolean {
  if (from.kind === 'none') return true;
  if (from.kind !== 'unnest' || !isRowless(from.left)) return false;
  const { type } = from.array;
  return type.kind === 'ARRAY' && type.layout === 'struct';
}

function someElement(from: bound.Unnest, body: bound.Select, lowering: Lowering): d.DuckExpression {
  const left = lowerFrom(from.left, lowering);
  const list = lowerExpression(from.array, lowering);
  const parameter = lowering.newAlias();
  lowering.columns.set(from.element.id, d.variable(parameter));
  const conditions = [from.on, body.where].flatMap((condition) =>
    condition === undefined ? [] : [lowerExpression(condition, lowering)],
  );
  const test = conjunction(conditions);
  const found = conditions.length === 0 ? list : filterList({ list, parameter, test }, lowering);
  return neverNull([...left.where, d.infix('>', d.call('len', found), d.integer(0))]);
}

/** The conjunction of conditions, with FALSE for NULL. */
function neverNull(conditions: readonly d.DuckExpression[]): d.DuckExpression {
  return d.call('coalesce', conjunction(conditions), d.falseValue);
}
