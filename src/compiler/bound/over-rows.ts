import type { BoundItem, BoundQuery } from './bound.js';

/**
 * The query with a SELECT of these items over its rows, which are then a subquery; its ORDER BY and
 * LIMIT stay outside. `select … union all select … order by 1` -> `select <items> from (select … union
 * all select …) order by 1`
 */
export function overRows(query: BoundQuery, items: readonly BoundItem[]): BoundQuery {
  const { body, at } = query;
  const rows = {
    kind: 'query',
    ctes: [],
    body,
    orderBy: [],
    columns: body.columns,
    isValue: query.isValue,
    at,
  } as const;
  const columns = items.map(({ column }) => column);
  const from = { kind: 'derived', query: rows, columns: body.columns } as const;
  const select = { kind: 'select', distinct: false, items, from, columns, isValue: false } as const;
  return { ...query, body: select, columns, isValue: false };
}
