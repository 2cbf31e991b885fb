import * as bound from './bound.js';

/**
 * Wraps the body of a query in a subquery and selects these items from it; ORDER BY and LIMIT stay
 * outside. `select … union all select … order by 1` -> `select <items> from (select … union all
 * select …) order by 1`
 */
export function overRows(query: bound.Query, items: readonly bound.Item[]): bound.Query {
  const rows = bound.queryOf(query.body, query.isValue, query.at);
  const from = { kind: 'derived', query: rows, columns: rows.columns } as const;
  const { body: select, columns } = bound.selectOf(items, from);
  return { ...query, body: select, columns, isValue: false };
}
