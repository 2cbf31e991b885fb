import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { Cte } from '../syntax/tree.js';
import { resolveRecursion } from './resolve-recursion.js';
import type { Scope } from './scope.js';

/**
 * Resolves CTEs, each of which can read earlier ones; `before` are earlier CTEs of the same query.
 * @throws QueryFault for a duplicate name, and any error in a CTE
 */
export function resolveCtes(
  ctes: readonly Cte[],
  around: Scope,
  before: readonly bound.Cte[] = [],
): readonly bound.Cte[] {
  const resolved: bound.Cte[] = [];
  for (const cte of ctes) {
    const { name } = cte;
    const others = [...before, ...resolved];
    if (others.some((other) => other.name.toLowerCase() === name.name.toLowerCase())) {
      throw new QueryFault(`Duplicate alias ${shortName(name.name)} for WITH subquery`, name.at);
    }
    const scope = { ...around, ctes: [...around.ctes, ...resolved] };
    resolved.push(resolveCte(cte, scope));
  }
  return resolved;
}

function resolveCte(cte: Cte, scope: Scope): bound.Cte {
  const { newCteId, resolveQuery } = scope.statement;
  const { name } = cte.name;
  if (!cte.isRecursive) return { name, query: resolveQuery(cte.query, scope), id: newCteId() };
  const id = newCteId();
  return { id, name, query: resolveRecursion(cte, id, scope) };
}
