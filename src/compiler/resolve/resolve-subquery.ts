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
  const query = scope.statement.resolveQuery(node.query, scope);
  const plainQuery =
    node.form === 'EXISTS' ? query : withPlainColumns(query, scope.statement, node.at);
  return {
    kind: 'subquery',
    form: node.form,
    query: plainQuery,
    type: subqueryType(node, plainQuery),
  };
}

/** A query whose columns are in the layout of computed values, as the value of a subquery is. */
function withPlainColumns(
  query: bound.Query,
  { newColumn }: Scope['statement'],
  at: number,
): bound.Query {
  const { body, columns, orderBy } = query;
  const isPlain = (value: bound.Expression) => plain(value) === value;
  if (columns.map(bound.columnValue).every(isPlain)) return query;
  const ids = new Set(columns.map(({ id }) => id));
  const isSorted = orderBy.some(({ value }) => readsColumns(value, ids));
  if (body.kind !== 'select' || isSorted) {
    return castColumns(
      query,
      columns.map(({ type }) => plainType(type)),
      { newColumn, at },
    );
  }
  const items = body.items.map(({ column, value: given }): bound.Item => {
    const value = plain(given);
    return { column: { ...column, type: value.type, isLogField: false }, value };
  });
  const plainColumns = items.map(({ column }) => column);
  return { ...query, body: { ...body, items, columns: plainColumns }, columns: plainColumns };
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
