import type * as bound from '../bound/bound.js';
import { hasSubquery } from '../bound/search.js';
import { comparedProject } from './compared-project.js';
import { conjuncts } from './conditions.js';
import { type KnownValues, pruneBranches } from './fold-constants.js';
import { gatherableWindow } from './time-window.js';

/**
 * Whether a CTE returns only records that the caller may see, so that there is nothing to wall off:
 * it filters by the only project of its source, or returns every record.
 */
export function holdsOwnRows(
  { body, orderBy, limit, offset }: bound.Query,
  known: KnownValues,
): boolean {
  if (body.kind !== 'select' || body.from.kind !== 'source') return false;
  const { from, distinct, grouping, having, qualify } = body;
  const clauses = [limit, offset, grouping, having, qualify];
  if (distinct || clauses.some((clause) => clause !== undefined)) return false;
  // A sub-select may read another table.
  if ([...body.items, ...orderBy].some(({ value }) => hasSubquery(value))) return false;
  const conditions = conjuncts(body.where).map((condition) => pruneBranches(condition, known));
  const isOwn = (condition: bound.Expression) => holdsForAll(condition, from, known);
  const others = conditions.filter((condition) => !isTrue(condition) && !isOwn(condition));
  if (others.length === 0) return true;
  const isWindow = (each: bound.Expression) => gatherableWindow(each, from.columns) !== undefined;
  return conjuncts(body.where).some(isOwn) && others.every(isWindow);
}

function isTrue(condition: bound.Expression): boolean {
  return condition.kind === 'literal' && condition.value === 'true';
}

function holdsForAll(condition: bound.Expression, from: bound.From, known: KnownValues): boolean {
  if (from.kind !== 'source' || from.source.onlyProject === undefined) return false;
  const value = comparedProject(condition, from);
  return value?.kind === 'parameter' && known.get(value.name)?.text === from.source.onlyProject;
}
