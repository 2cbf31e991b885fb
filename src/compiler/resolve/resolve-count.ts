import type * as bound from '../bound/bound.js';
import type { Expression } from '../syntax/tree.js';
import { checkCount } from './resolve-aggregate.js';
import { resolveExpression } from './resolve-expression.js';
import { emptyScope, type Scope } from './scope.js';

/** Resolves LIMIT or OFFSET, which cannot use columns. @throws QueryFault for anything but a count */
export function resolveCount(node: Expression, scope: Scope): bound.Expression {
  return checkCount(node, resolveExpression(node, emptyScope(scope.statement, [])));
}
