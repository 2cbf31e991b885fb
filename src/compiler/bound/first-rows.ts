import * as bound from './bound.js';

/** The value of the item that a key refers to; any other key itself. */
export function shownValue(key: bound.Expression, items: readonly bound.Item[]): bound.Expression {
  const id = key.kind === 'column' ? key.column.id : undefined;
  return items.find(({ column }) => column.id === id)?.value ?? key;
}

/** Whether a value is a column of FROM that holds the time of a source's records, which is never NULL. */
export function isRecordTime(value: bound.Expression, from: bound.From): boolean {
  if (value.kind !== 'column') return false;
  const { id } = value.column;
  if (from.kind === 'unnest') return isRecordTime(value, from.left);
  if (from.kind === 'source') {
    return from.columns.some((column) => column.id === id && column.name === 'timestamp');
  }
  if (from.kind !== 'cte' && from.kind !== 'derived') return false;
  const { body, columns } = from.kind === 'cte' ? from.cte.query : from.query;
  const inner = columns[from.columns.findIndex((column) => column.id === id)];
  if (inner === undefined || body.kind !== 'select' || body.grouping !== undefined) return false;
  return isRecordTime(shownValue(bound.columnValue(inner), body.items), body.from);
}

/** The maximum number of a query's rows that are used; undefined if it is not a constant. */
export function rowsUsed(
  { limit, offset }: bound.Query,
  maxRows = Number.POSITIVE_INFINITY,
): number | undefined {
  const own = limit === undefined ? maxRows : constantCount(limit);
  const rows = Math.min(own, maxRows) + (offset === undefined ? 0 : constantCount(offset));
  return Number.isSafeInteger(rows) ? rows : undefined;
}

/** The number of a LIMIT; NaN if it is a parameter. */
function constantCount(count: bound.Expression): number {
  return count.kind === 'literal' ? Number(count.value) : Number.NaN;
}
