import type * as bound from '../bound/bound.js';
import { mapQueries } from '../bound/map-expression.js';

/**
 * Drops the CTEs that nothing reads.
 * `with a as (…), b as (…) select 1 from b` -> `with b as (…) select 1 from b`
 */
export function dropUnreadCtes(statement: bound.Query): bound.Query {
  return mapQueries(dropUnread(statement), { query: dropUnread });
}

function dropUnread(query: bound.Query): bound.Query {
  if (query.ctes.length === 0) return query;
  const read = new Set<number>();
  const noteReads = (inner: bound.Query) => {
    mapQueries(inner, {
      from: (from) => {
        if (from.kind === 'cte') read.add(from.cte.id);
        return from;
      },
    });
  };
  noteReads({ ...query, ctes: [] });
  // A CTE is read only by later ones.
  const kept = query.ctes.toReversed().filter(({ id, query: cte }) => {
    if (read.has(id)) noteReads(cte);
    return read.has(id);
  });
  return kept.length === query.ctes.length ? query : { ...query, ctes: kept.toReversed() };
}
