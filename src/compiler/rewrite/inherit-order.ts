import {
  type BoundFrom,
  type BoundOrder,
  type BoundQuery,
  type Column,
  columnValue,
} from '../bound/bound.js';

/**
 * The order that a query without ORDER BY takes over from the one table that it reads, as long as
 * its own rows are that table's: `select id from edge_logs limit 10` is the newest ten, since the
 * CTE says newest first. BigQuery promises no order here; its log clients count on this one.
 */
export function inheritedOrder(query: BoundQuery): readonly BoundOrder[] {
  const { body } = query;
  if (body.kind !== 'select' || body.distinct || body.grouping !== undefined) return [];
  const read = tableOf(body.from);
  if (read === undefined) return [];
  return orderOf(read.query).map((item) => ({
    ...item,
    value: columnValue(itsColumn(item, read.query, read.columns)),
  }));
}

/** The order of a query's rows by its own output columns; none where a key is no output column. */
function orderOf(query: BoundQuery): readonly BoundOrder[] {
  if (query.orderBy.length > 0) return query.orderBy.every(isOutput(query)) ? query.orderBy : [];
  const { body } = query;
  if (body.kind !== 'select') return [];
  const inherited = inheritedOrder(query).map((item) => {
    const wanted = item.value.kind === 'column' ? item.value.column.id : undefined;
    const output = body.items.find(
      ({ value }) => value.kind === 'column' && value.column.id === wanted,
    );
    return output && { ...item, value: columnValue(output.column) };
  });
  return inherited.every((item) => item !== undefined) ? inherited : [];
}

function isOutput(query: BoundQuery) {
  return ({ value }: BoundOrder): boolean =>
    value.kind === 'column' && query.columns.some(({ id }) => id === value.column.id);
}

function itsColumn({ value }: BoundOrder, query: BoundQuery, columns: readonly Column[]): Column {
  const place = query.columns.findIndex(
    ({ id }) => value.kind === 'column' && value.column.id === id,
  );
  const column = columns[place];
  if (column === undefined) throw new Error('an order key that is no output column');
  return column;
}

interface Read {
  readonly query: BoundQuery;
  readonly columns: readonly Column[];
}

/** The one table that FROM reads, through the records that are unnested beside it. */
function tableOf(from: BoundFrom): Read | undefined {
  if (from.kind === 'unnest') return tableOf(from.left);
  if (from.kind === 'cte') return { query: from.cte.query, columns: from.columns };
  return from.kind === 'derived' ? { query: from.query, columns: from.columns } : undefined;
}
