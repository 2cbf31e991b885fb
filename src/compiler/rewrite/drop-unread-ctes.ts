import type * as bound from '../bound/bound.js';
import { mapQueries } from '../bound/map-expression.js';

/**
 * Drops the CTEs that nothing reads.
 * `with a as (…), b as (…) select 1 from b` -> `with b as (…) select 1 from b`
 */
export function dropUnreadCtes(statement: bound.Query): bound.Query {
  const { query, hasInnerCtes } = dropUnread(statement);
  if (!hasInnerCtes) return query;
  return mapQueries(query, {
    query: (inner) => (inner.ctes.length === 0 ? inner : dropUnread(inner).query),
  });
}

/** Returns a query without its unread CTEs, and whether an inner query has CTEs, too. */
function dropUnread(query: bound.Query): { query: bound.Query; hasInnerCtes: boolean } {
  const { read, ...own } = readIn({ ...query, ctes: [] });
  let { hasInnerCtes } = own;
  const kept: bound.Cte[] = [];
  // A CTE is read only by later ones.
  for (const cte of query.ctes.toReversed()) {
    if (!read.has(cte.id)) continue;
    kept.unshift(cte);
    const inner = readIn(cte.query);
    for (const id of inner.read) read.add(id);
    hasInnerCtes ||= inner.hasInnerCtes;
  }
  const isSame = kept.length === query.ctes.length;
  return { query: isSame ? query : { ...query, ctes: kept }, hasInnerCtes };
}

/** The ids of the CTEs that a query and its inner queries read, and whether an inner query has CTEs. */
function readIn(query: bound.Query): { read: Set<number>; hasInnerCtes: boolean } {
  const read = new Set<number>();
  let hasInnerCtes = false;
  mapQueries(query, {
    from: (from) => {
      if (from.kind === 'cte') read.add(from.cte.id);
      return from;
    },
    query: (inner) => {
      hasInnerCtes ||= inner.ctes.length > 0;
      return inner;
    },
  });
  return { read, hasInnerCtes };
}
