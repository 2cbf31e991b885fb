import * as d from '../duckdb-sql.js';
import { someNode } from '../map-tree.js';
import { mayFail } from '../may-fail.js';

/**
 * Returns a statement over groups if its answer does not depend on the order in which rows are read: it sorts by all keys,
 * and nothing in it can fail. Undefined for any other statement. Adds the other columns to the sort, which does not change
 * the order: without them, the engine would read the rows twice, to fetch these columns later.
 * `select t.key_1, t.n from (select k as key_1, count(*) as n from x group by 1) t order by 1` ->
 * `select … order by 1, t.n`
 */
export function withFixedOrder(
  statement: d.DuckQuery,
  groups: d.DuckSelect,
): d.DuckQuery | undefined {
  const { body, orderBy, ctes } = statement;
  if (!d.isBlock(body) || ctes.length > 0) return undefined;
  const { from, items } = body;
  if (from?.kind !== 'derived' || from.columns !== undefined) return undefined;
  const { query, alias } = from;
  if (query.body !== groups || !isPlain(query) || changesRows(body)) return undefined;
  if (groups.groupSets !== undefined || !isTotal(statement)) return undefined;
  const names = new Set(orderBy.map((key) => columnOf(key, items)));
  const keys = groups.items.slice(0, groups.groupKeys);
  if (keys.some(({ name }) => !names.has(name))) return undefined;
  const missing = groups.items
    .filter(({ name }) => !names.has(name))
    .map(({ name }) => ({ value: d.column(alias, name), descending: false }));
  return { ...statement, orderBy: [...orderBy, ...missing] };
}

/** Whether a query has only a body. */
function isPlain({ ctes, orderBy, limit, offset }: d.DuckQuery): boolean {
  return [ctes, orderBy].every((list) => list.length === 0) && (limit ?? offset) === undefined;
}

function changesRows({ distinct, groupKeys, qualify }: d.DuckSelect): boolean {
  return distinct || groupKeys !== undefined || qualify !== undefined;
}

/** The name of the column that a key sorts by; undefined for an expression. */
function columnOf({ value }: d.DuckOrder, items: d.DuckSelect['items']): string | undefined {
  const key = typeof value === 'number' ? items[value - 1]?.value : value;
  return key?.kind === 'column' ? key.name : undefined;
}

/** Whether nothing in a statement can fail on any rows, or depends on their order. */
function isTotal(statement: d.DuckQuery): boolean {
  return !mayFail(statement) && !someNode(statement, (node) => 'over' in node);
}
