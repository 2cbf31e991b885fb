import * as bound from '../bound/bound.js';
import { fingerprint } from '../bound/fingerprint.js';
import type { QueryRole } from '../bound/map-expression.js';
import { completeCalls } from './complete-calls.js';
import { idsIn, readsRecords, tieKey, timeOrder } from './order-keys.js';

/**
 * Makes every order that decides which rows a query returns, or in what order, a total order: by `id`, then by the
 * columns of the query. Otherwise, ties would depend on chance and on the number of other projects' rows. Rows without
 * an order are ordered by time.
 * `select path from t order by ts limit 9` -> `select path from t order by ts, t.id, path limit 9`
 */
export function completeOrders(given: bound.Query, role: QueryRole): bound.Query {
  const query = completeCalls(given);
  const { body } = query;
  const orderBy = query.orderBy.filter(({ value }) => !isConstant(value));
  const isSeen = role === 'statement' || role === 'ARRAY' || query.limit !== undefined;
  if (!isSeen || role === 'EXISTS' || isOneRow(body)) return query;
  if (orderBy.length === 0 && !readsRecords(query)) return query;
  const started = orderBy.length === 0 && isRowWise(body) ? timeOrder(body.from) : orderBy;
  const completed = [...started, ...tieBreakers(query, started)];
  const isSame = completed.every((key) => query.orderBy.includes(key));
  return isSame ? query : { ...query, orderBy: completed };
}

/** Whether a query has at most one row: an aggregation of all rows, or a SELECT without FROM. */
function isOneRow(body: bound.Query['body']): boolean {
  if (body.kind !== 'select') return false;
  const { grouping, from } = body;
  if (grouping === undefined) return from.kind === 'none';
  return grouping.keys.length === 0 && grouping.sets === undefined;
}

function isRowWise(body: bound.Query['body']): body is bound.Select {
  return body.kind === 'select' && !body.distinct && body.grouping === undefined;
}

/**
 * The keys to add: the ids of the tables, then the output columns. Rows that are equal in all of these look the same. A
 * key that equals an output column refers to it.
 */
function tieBreakers(
  { body, columns }: bound.Query,
  started: readonly bound.Order[],
): readonly bound.Order[] {
  const items = body.kind === 'select' ? body.items : [];
  const values = new Map(items.map(({ column, value }) => [column.id, value]));
  const shownBy = (key: bound.Expression) =>
    (key.kind === 'column' ? values.get(key.column.id) : undefined) ?? key;
  const outputs = new Map(
    columns.map(bound.columnValue).map((output) => [fingerprint(shownBy(output)), output]),
  );
  const known = new Set(started.map(({ value }) => fingerprint(shownBy(value))));
  const ids = isRowWise(body) ? idsIn(body.from) : [];
  return [...ids, ...columns].map(bound.columnValue).flatMap((key) => {
    const value = shownBy(key);
    const print = fingerprint(value);
    if (known.has(print) || isConstant(value)) return [];
    known.add(print);
    return [tieKey(outputs.get(print) ?? key)];
  });
}

function isConstant({ kind }: bound.Expression): boolean {
  return kind === 'literal' || kind === 'parameter';
}
