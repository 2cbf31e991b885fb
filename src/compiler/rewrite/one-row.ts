import type { BoundExpression, BoundQuery } from '../bound/bound.js';
import { someExpression } from '../bound/map-expression.js';
import { countNodes } from '../bound/size.js';

/**
 * The values of a query that is one row and reads nothing, such as
 * `select timestamp_sub(current_timestamp(), interval 1 hour) as start`: whoever reads it can read
 * them in its place, so that a comparison with them still skips what it can. Undefined for others.
 */
export function oneRowValues(query: BoundQuery): readonly BoundExpression[] | undefined {
  const { body } = query;
  if (body.kind !== 'select' || query.limit !== undefined || body.from.kind !== 'none')
    return undefined;
  const isBare =
    body.where === undefined && body.grouping === undefined && body.qualify === undefined;
  const values = body.items.map((item) => item.value);
  return isBare && values.every((value) => isPure(value) && isSmall(value)) ? values : undefined;
}

/** A value is written again wherever it is read: a large one would multiply the statement. */
const mostNodes = 40;

function isSmall(value: BoundExpression): boolean {
  return countNodes(value) <= mostNodes;
}

/** Whether an expression is the same however often it is written, and reads no query. */
function isPure(expression: BoundExpression): boolean {
  return !someExpression(
    expression,
    (inner) => inner.kind === 'subquery' || (inner.kind === 'call' && !inner.function.isStable),
  );
}
