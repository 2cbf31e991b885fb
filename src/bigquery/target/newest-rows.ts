import type * as bound from '../../compiler/bound/bound.js';
import { mapQueries } from '../../compiler/bound/map-expression.js';
import { hasWindow, someExpression } from '../../compiler/bound/search.js';
import { conjuncts } from '../../compiler/rewrite/conditions.js';
import type { KnownTime, NewestAsked } from '../../types/time-window.js';
import { knownTime, timeColumn } from './known-time.js';

/**
 * Returns the request of a statement that reads the newest rows of one table, newest first, and filters and changes
 * each row separately. Undefined for any other statement.
 */
export function newestRows(statement: bound.Query): NewestAsked | undefined {
  const [order] = statement.orderBy;
  const { limit, offset } = statement;
  if (order === undefined || !order.descending || order.nulls === 'FIRST') return undefined;
  if (offset !== undefined) return undefined;
  if (statement.orderBy.some(({ value }) => readsOthers(value))) return undefined;
  const times = onlyTableTimes(statement);
  const isByTime = order.value.kind === 'column' && times?.ids.has(order.value.column.id);
  if (!times || !isByTime) return undefined;
  return { rows: limitCount(limit), ends: times.ends };
}

function limitCount(limit: bound.Expression | undefined): NewestAsked['rows'] {
  if (limit?.kind === 'parameter') return { parameter: limit.name };
  return limit?.kind === 'literal' ? Number(limit.value) : undefined;
}

/** The ids of the columns that are the time of a table, and its upper bounds. */
interface Times {
  readonly ids: ReadonlySet<number>;
  readonly ends: readonly KnownTime[];
}

/** The times of the table, if a query reads only one and returns a row for each of its rows; otherwise undefined. */
function onlyTableTimes({ body }: bound.Query): Times | undefined {
  if (body.kind !== 'select' || body.distinct || body.grouping !== undefined) return undefined;
  const { items, from, where, qualify } = body;
  const values = [...items.map(({ value }) => value), ...(where ? [where] : [])];
  if (qualify !== undefined || values.some(readsOthers)) return undefined;
  const read = timesIn(from);
  if (read === undefined) return undefined;
  const shown = items.flatMap(({ column, value }) =>
    value.kind === 'column' && read.ids.has(value.column.id) ? [column.id] : [],
  );
  const ends = conjuncts(where).flatMap((condition) => upperEnd(condition, read.ids));
  return { ids: new Set([...read.ids, ...shown]), ends: [...read.ends, ...ends] };
}

function timesIn(from: bound.From): Times | undefined {
  if (from.kind === 'unnest') {
    return from.left.kind === 'none' || readsOthers(from.array) ? undefined : timesIn(from.left);
  }
  if (from.kind === 'source') {
    const time = timeColumn(from);
    return time && { ids: new Set([time.id]), ends: [] };
  }
  if (from.kind !== 'cte' && from.kind !== 'derived') return undefined;
  const query = from.kind === 'cte' ? from.cte.query : from.query;
  if (query.limit !== undefined || query.offset !== undefined) return undefined;
  const inner = onlyTableTimes(query);
  const own = from.columns.flatMap(({ id }, index) =>
    inner?.ids.has(query.columns[index]?.id ?? -1) ? [id] : [],
  );
  return inner && { ids: new Set(own), ends: inner.ends };
}

/** The upper bound in `time <= constant`, also with swapped sides, or in BETWEEN. */
function upperEnd(condition: bound.Expression, ids: ReadonlySet<number>): KnownTime | readonly [] {
  if (condition.kind !== 'call') return [];
  const [columnAt, endAt] = ends[condition.function.name] ?? [0, 0];
  const column = condition.args[columnAt];
  const end = condition.args[endAt];
  if (column?.kind !== 'column' || end === undefined || !ids.has(column.column.id)) return [];
  return knownTime(end) ?? [];
}

/** The positions of a comparison's arguments: the time, and its upper bound. */
const ends: Readonly<Record<string, readonly [column: number, end: number]>> = {
  '$<': [0, 1],
  '$<=': [0, 1],
  '$=': [0, 1],
  '$>': [1, 0],
  '$>=': [1, 0],
  $BETWEEN: [0, 2],
};

/** Whether the value of an expression depends on rows other than its own. */
function readsOthers(value: bound.Expression): boolean {
  return hasWindow(value) || readsTable(value);
}

/** Whether an expression has a subquery that reads a table, and not only arrays of the row. */
function readsTable(value: bound.Expression): boolean {
  let found = false;
  const from = (item: bound.From) => {
    found ||= item.kind === 'source' || item.kind === 'cte' || item.kind === 'self';
    return item;
  };
  someExpression(value, (node) => {
    if (node.kind === 'subquery') mapQueries(node.query, { from });
    return false;
  });
  return found;
}
