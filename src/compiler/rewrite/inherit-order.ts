import * as bound from '../bound/bound.js';

/**
 * Gives a query without ORDER BY the order of the only table that it reads, if each of its rows is a row
 * of that table. BigQuery does not guarantee an order here, but clients of log queries rely on this one.
 * `with t as (select … order by ts desc) select id from t limit 10` -> `… from t order by ts desc limit 10`
 */
export function inheritOrder(query: bound.Query): bound.Query {
  const { body } = query;
  if (query.orderBy.length > 0 || body.kind !== 'select') return query;
  if (body.distinct || body.grouping !== undefined) return query;
  const read = onlyTable(body.from);
  const orderBy = read === undefined ? [] : tableOrder(read);
  return orderBy.length === 0 ? query : { ...query, orderBy };
}

interface Read {
  readonly query: bound.Query;
  /** The query's columns, as the outer query refers to them. */
  readonly columns: readonly bound.Column[];
}

/** The only table that FROM reads, besides the arrays that it unnests. */
function onlyTable(from: bound.From): Read | undefined {
  if (from.kind === 'unnest') return onlyTable(from.left);
  if (from.kind === 'cte') return { query: from.cte.query, columns: from.columns };
  return from.kind === 'derived' ? { query: from.query, columns: from.columns } : undefined;
}

/** The order of a table's rows by its columns; empty if a key is not a column. */
function tableOrder({ query, columns }: Read): readonly bound.Order[] {
  const keys = query.orderBy.map((key) => {
    const column = columns[outputIndex(key, query)];
    return column && { ...key, value: bound.columnValue(column) };
  });
  return keys.every((key) => key !== undefined) ? keys : [];
}

/** The index of the output column that a key orders by; -1 if there is none. */
function outputIndex({ value }: bound.Order, { body, columns }: bound.Query): number {
  if (value.kind !== 'column') return -1;
  const { id } = value.column;
  const index = columns.findIndex((column) => column.id === id);
  if (index >= 0 || body.kind !== 'select') return index;
  return body.items.findIndex(
    (item) => item.value.kind === 'column' && item.value.column.id === id,
  );
}
