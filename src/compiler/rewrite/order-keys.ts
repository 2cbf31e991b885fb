import * as bound from '../bound/bound.js';

/** Whether rows of a query come from stored records, and not only from arrays in the query. */
export function readsRecords({ body }: Pick<bound.Query, 'body'>): boolean {
  if (body.kind === 'query') return readsRecords(body);
  if (body.kind === 'set-operation') return body.operands.some(readsRecords);
  return holdsRecords(body.from);
}

/** Whether rows of FROM come from stored records. */
export function holdsRecords(from: bound.From): boolean {
  if (from.kind === 'none') return false;
  if (from.kind === 'cte') return cteReadsRecords(from.cte.query);
  if (from.kind === 'derived') return readsRecords(from.query);
  if (from.kind === 'unnest') return holdsRecords(from.left);
  return from.kind !== 'join' || holdsRecords(from.left) || holdsRecords(from.right);
}

/** Cached by query: both sides of a join may read the same CTE, and so may both sides of each join below. */
const known = new WeakMap<bound.Query, boolean>();

function cteReadsRecords(query: bound.Query): boolean {
  const reads = known.get(query) ?? readsRecords(query);
  known.set(query, reads);
  return reads;
}

/** The order of rows without ORDER BY: by the time of the first table that has one. */
export function timeOrder(from: bound.From): readonly bound.Order[] {
  return columnsNamed(from, 'timestamp')
    .filter(({ type }) => type.kind === 'TIMESTAMP')
    .slice(0, 1)
    .map((column) => ({ value: bound.columnValue(column), descending: false }));
}

/** The columns named `id` of the tables in FROM. */
export function idsIn(from: bound.From): readonly bound.Column[] {
  return columnsNamed(from, 'id').filter(({ type }) => ['STRING', 'INT64'].includes(type.kind));
}

/** A key that the compiler adds to an order. */
export function tieKey(value: bound.Expression): bound.Order {
  return { value, descending: false, isTieBreaker: true };
}

/** The columns with this name in the tables of FROM, from left to right. */
function columnsNamed(from: bound.From, name: string): readonly bound.Column[] {
  if (from.kind === 'none') return [];
  if (from.kind === 'unnest') return columnsNamed(from.left, name);
  if (from.kind === 'join') {
    return [...columnsNamed(from.left, name), ...columnsNamed(from.right, name)];
  }
  return from.columns.filter((column) => column.name.toLowerCase() === name);
}
