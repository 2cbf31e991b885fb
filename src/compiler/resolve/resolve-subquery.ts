import { QueryFault } from '../../errors/query-fault.js';
import { arrayType, scalar, type Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import type { ExpressionOf } from '../syntax/tree.js';
import type { Scope } from './scope.js';

/**
 * Resolves `(select …)`, `array(select …)` and `exists (select …)`.
 * @throws QueryFault if the query does not have exactly one column, except in EXISTS
 */
export function resolveSubquery(node: ExpressionOf<'subquery'>, scope: Scope): bound.Expression {
  const query = scope.statement.resolveQuery(node.query, scope);
  return { kind: 'subquery', form: node.form, query, type: subqueryType(node, query) };
}

function subqueryType({ form, at }: ExpressionOf<'subquery'>, query: bound.Query): Type {
  if (form === 'EXISTS') return scalar('BOOL');
  const { type } = onlyColumn(query, form === 'ARRAY' ? 'ARRAY' : 'Scalar', at);
  return form === 'ARRAY' ? arrayType(type) : type;
}

/**
 * The column of a subquery that yields single values; `name` is its kind in messages.
 * @throws QueryFault if it does not have exactly one column
 */
export function onlyColumn({ columns }: bound.Query, name: string, at: number): bound.Column {
  const [column] = columns;
  if (columns.length === 1 && column !== undefined) return column;
  const message = `${name} subquery cannot have more than one column unless using SELECT AS STRUCT to build STRUCT values (it has ${columns.length})`;
  throw new QueryFault(message, at);
}
