import type { BoundExpression, BoundFrom, BoundQuery } from '../bound/bound.js';
import { hasWindow, mapQueries, someExpression } from '../bound/map-expression.js';

/**
 * How many of the newest rows a statement asks for: those of one table, filtered and changed one by one, in order of its
 * time, newest first. Undefined for any other statement. It is at most one more than the answer may have.
 */
export function newestCount(statement: BoundQuery, maxRows: number): number | undefined {
  const [order] = statement.orderBy;
  const { limit, offset } = statement;
  if (order === undefined || !order.descending || order.nulls === 'FIRST') return undefined;
  if (offset !== undefined || (limit !== undefined && limit.kind !== 'literal')) return undefined;
  if (statement.orderBy.some(({ value }) => readsOthers(value))) return undefined;
  const times = timesOf(statement);
  const isByTime = order.value.kind === 'column' && times?.has(order.value.column.id);
  return isByTime ? Math.min(Number(limit?.value ?? maxRows + 1), maxRows + 1) : undefined;
}

/** The columns, by id, that are the time of the one table whose rows a query returns one by one; undefined if it does not. */
function timesOf({ body }: BoundQuery): ReadonlySet<number> | undefined {
  if (body.kind !== 'select' || body.distinct || body.grouping !== undefined) return undefined;
  const { items, from, where, qualify } = body;
  const values = [...items.map(({ value }) => value), ...(where ? [where] : [])];
  if (qualify !== undefined || values.some(readsOthers)) return undefined;
  const read = timesIn(from);
  const shown = items.flatMap(({ column, value }) =>
    value.kind === 'column' && read?.has(value.column.id) ? [column.id] : [],
  );
  return read && new Set([...read, ...shown]);
}

function timesIn(from: BoundFrom): ReadonlySet<number> | undefined {
  if (from.kind === 'unnest') {
    return from.left.kind === 'none' || readsOthers(from.array) ? undefined : timesIn(from.left);
  }
  if (from.kind === 'source') {
    return new Set(from.columns.flatMap(({ id, name }) => (name === 'timestamp' ? [id] : [])));
  }
  if (from.kind !== 'cte' && from.kind !== 'derived') return undefined;
  const query = from.kind === 'cte' ? from.cte.query : from.query;
  if (query.limit !== undefined || query.offset !== undefined) return undefined;
  const inner = timesOf(query);
  const own = from.columns.flatMap(({ id }, index) =>
    inner?.has(query.columns[index]?.id ?? -1) ? [id] : [],
  );
  return inner && new Set(own);
}

/** Whether the value of an expression depends on other rows than its own. */
function readsOthers(value: BoundExpression): boolean {
  return hasWindow(value) || readsTable(value);
}

/** Whether an expression has a subquery that reads a table, and not only arrays of the row. */
function readsTable(value: BoundExpression): boolean {
  let found = false;
  const from = (item: BoundFrom) => {
    found ||= item.kind === 'source' || item.kind === 'cte' || item.kind === 'self';
    return item;
  };
  someExpression(value, (node) => {
    if (node.kind === 'subquery') mapQueries(node.query, { from });
    return false;
  });
  return found;
}
