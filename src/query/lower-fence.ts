import type { BoundRead } from './bound.js';
import { type DuckExpression, integer } from './duck.js';
import { type Lowering, lowerExpression } from './lower-expression.js';
import { type Relation, seal } from './relation.js';

/** More than any table has: a LIMIT that cuts nothing, below which the engine moves no condition. */
const all: DuckExpression = { kind: 'number', digits: '9000000000000000000' };

/** The rows of an endpoint's CTE behind its fence: what may be asked of them inside is asked there. */
export function lowerFence(
  { window = [], top }: BoundRead,
  rows: Relation,
  lowering: Lowering,
): Relation {
  const asked = window.map((condition) => lowerExpression(condition, lowering));
  const inside = { ...rows, where: [...rows.where, ...asked] };
  if (top === undefined) return seal(inside, lowering, { limit: all }).relation;
  const key = { ...top.order, value: lowerExpression(top.order.value, lowering) };
  return seal(inside, lowering, { orderBy: [key], limit: integer(top.rows) }).relation;
}
