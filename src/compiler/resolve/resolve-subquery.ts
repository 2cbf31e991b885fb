import { QueryFault } from '../../errors/query-fault.js';
import { arrayType, plainType, scalar, type Type } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { plain } from '../bound/coerce.js';
import { readsColumns } from '../bound/search.js';
import type { ExpressionOf } from '../syntax/tree.js';
import { castColumns } from './cast-columns.js';
import type { Scope } from './scope.js';

/**
 * Resolves `(select …)`, `array(select …)` and `exists (select …)`.
 * @throws QueryFault if the query does not have exactly one column, except in EXISTS
 */
export function resolveSubquery(node: ExpressionOf<'subquery'>, scope: Scope): bound.Expression {
  const { form, at } = node;
  const own = scope.statement.resolveQuery(node.query, scope);
  const query = form === 'EXISTS' ? own : withPlainColumns(own, scope, at);
  return { kind: 'subquery', form, query, type: subqueryType(node, query) };
}

/** Converts a query's columns to the layout of computed values. */
function withPlainColumns(query: bound.Query, { statement }: Scope, at: number): bound.Query {
  const { body, columns, orderBy } = query;
  const values = columns.map(bound.columnValue);
  if (values.every((value) => plain(value) === value)) return query;
  const ids = new Set(columns.map(({ id }) => id));
  if (body.kind !== 'select' || orderBy.some(({ value }) => readsColumns(value, ids))) {
    const types = columns.map(({ type }) => plainType(type));
    return castColumns(query, types, { ...statement, at });
  }
  const items = body.items.map(({ column, value: given }): bound.Item => {
    const value = plain(given);
    return { column: { ...column, type: value.type, isLogField: false }, value };
  });
  return bound.withItems(query, { ...body, items });
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
