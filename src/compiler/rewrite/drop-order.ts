import type * as bound from '../bound/bound.js';
import type { QueryRole } from '../bound/map-expression.js';

/**
 * Drops an ORDER BY without effect, so that the engine does not sort: in an inner query without
 * LIMIT, unless the query becomes an array.
 * `select count(*) from (select a from t order by a)` -> `select count(*) from (select a from t)`
 */
export function dropOrder(query: bound.Query, role: QueryRole): bound.Query {
  const hasEffect = role === 'statement' || role === 'ARRAY' || query.limit !== undefined;
  return hasEffect || query.orderBy.length === 0 ? query : { ...query, orderBy: [] };
}
