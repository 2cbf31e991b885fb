import type { BoundCte, BoundQuery } from '../bound/bound.js';
import { mapQueries } from '../bound/map-expression.js';

/**
 * Drops the CTEs that nothing reads.
 * `with a as (…), b as (…) select 1 from b` -> `with b as (…) select 1 from b`
 */
export function dropUnreadCtes(statement: BoundQuery): BoundQuery {
  return mapQueries(statement, { query: dropUnread });
}

function dropUnread(query: BoundQuery): BoundQuery {
  if (query.ctes.length === 0) return query;
  const read = readIn({ ...query, ctes: [] });
  const kept: BoundCte[] = [];
  // A CTE is read only by later ones.
  for (const cte of query.ctes.toReversed()) {
    if (!read.has(cte.id)) continue;
    kept.unshift(cte);
    for (const id of readIn(cte.query)) read.add(id);
  }
  return kept.length === query.ctes.length ? query : { ...query, ctes: kept };
}

/** The ids of the CTEs that a query reads, also through its inner queries. */
function readIn(query: BoundQuery): Set<number> {
  const ids = new Set<number>();
  mapQueries(query, {
    from: (from) => {
      if (from.kind === 'cte') ids.add(from.cte.id);
      return from;
    },
  });
  return ids;
}
