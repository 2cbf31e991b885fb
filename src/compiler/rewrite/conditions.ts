import type * as bound from '../bound/bound.js';
import { callByName } from '../functions/match-call.js';

/** The operands of AND: `a AND (b AND c)` -> `a`, `b`, `c`; none if there is no condition. */
export function conjuncts(condition: bound.Expression | undefined): readonly bound.Expression[] {
  if (condition === undefined) return [];
  const isAnd = condition.kind === 'call' && condition.function.name === '$AND';
  return isAnd ? condition.args.flatMap(conjuncts) : [condition];
}

/** Joins conditions with AND; undefined if there are none. */
export function joinConditions(
  conditions: readonly bound.Expression[],
): bound.Expression | undefined {
  const [first, ...others] = conditions;
  return others.length === 0 ? first : callByName('$AND', conditions, 0);
}
