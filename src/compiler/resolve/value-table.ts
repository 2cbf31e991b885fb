import * as bound from '../bound/bound.js';
import { overRows } from '../bound/over-rows.js';
import { fieldItems } from './resolve-star.js';
import type { StatementScope } from './scope.js';

/**
 * Turns the fields of a value table of records into columns, for the result of a statement:
 * `select as value struct(8 as a, 9 as b)` has the columns a and b.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/query-syntax#value_tables
 */
export function recordsAsColumns(query: bound.Query, statement: StatementScope): bound.Query {
  const { body, columns } = query;
  const [record] = columns;
  if (!query.isValue || record?.type.kind !== 'STRUCT') return query;
  const fieldsOf = (value: bound.Expression) =>
    fieldItems(value, query.at).map((item) => ({
      column: statement.newColumn(item.name, item.value.type),
      value: item.value,
    }));
  const [item] = body.kind === 'select' && !body.distinct ? body.items : [];
  if (body.kind !== 'select' || item === undefined) {
    return overRows(query, fieldsOf(bound.columnValue(record)));
  }
  const items = fieldsOf(item.value);
  const own = items.map(({ column }) => column);
  const select = { ...body, items, columns: own, isValue: false };
  return { ...query, body: select, columns: own, isValue: false };
}
