import { type BoundItem, type BoundQuery, selectOf } from './bound.js';

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
  const from = { kind: 'derived', query: rows, columns: body.columns } as const;
  const { body: select, columns } = selectOf(items, from);
  return { ...query, body: select, columns, isValue: false };
}
