import { QueryFault } from '../../errors/query-fault.js';

/** The limits of a caller's query: beyond them, the engine takes longer to plan it than to run it. */
const limits = {
  nodes: { max: 5_000, what: 'parts' },
  joins: { max: 32, what: 'joins' },
  levels: { max: 6, what: 'levels of subqueries' },
  ctes: { max: 64, what: 'CTEs' },
  operators: { max: 200, what: 'pipe operators' },
  // The engine takes longer to plan each extra aggregation.
  aggregations: { max: 12, what: 'aggregations one after the other' },
} as const;

/** Checks a count. @throws QueryFault `resourcesExceeded` if it exceeds its limit */
export function checkLimit(
  what: keyof typeof limits,
  count: number,
  { at }: { readonly at: number },
): void {
  const { max, what: word } = limits[what];
  if (count <= max) return;
  const message = `The query has too many ${word}: at most ${max} are allowed`;
  throw new QueryFault(message, at, 'resourcesExceeded');
}
