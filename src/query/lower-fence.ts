import type { BoundRead } from './bound.js';
import { type DuckExpression, duckNull, integer } from './duck.js';
import { type Lowering, lowerExpression } from './lower-expression.js';
import { holdsText } from './redact.js';
import { type Relation, seal } from './relation.js';

/** More than any table has: a LIMIT that cuts nothing, below which the engine moves no condition. */
const all: DuckExpression = { kind: 'number', digits: '9000000000000000000' };

/** The rows of an endpoint's CTE behind its fence: what may be asked of them inside is asked there. */
export function lowerFence(read: BoundRead, rows: Relation, lowering: Lowering): Relation {
  const { window = [], top } = read;
  const asked = window.map((condition) => lowerExpression(condition, lowering));
  const inside = { ...rows, where: [...rows.where, ...asked] };
  const key = top && { ...top.order, value: lowerExpression(top.order.value, lowering) };
  const limit = top === undefined ? all : integer(top.rows);
  const { relation } = seal(inside, lowering, { limit, ...(key && { orderBy: [key] }) });
  if (lowering.redact) redactColumns(read, lowering);
  return relation;
}

/** Whoever reads a text from behind the fence, in whatever way, reads it redacted. */
function redactColumns({ columns }: BoundRead, lowering: Lowering): void {
  for (const { id, type } of columns) {
    const of = lowering.columns.get(id) ?? duckNull;
    if (holdsText(type)) lowering.columns.set(id, { kind: 'redacted', of, type });
  }
}
