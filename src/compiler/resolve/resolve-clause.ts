import { QueryFault } from '../../errors/query-fault.js';
import { scalar } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { coerce } from '../bound/coerce.js';
import { asBool } from '../functions/read-open.js';
import type { Expression } from '../syntax/tree.js';
import { checkCount } from './resolve-aggregate.js';
import { resolveExpression } from './resolve-expression.js';
import { emptyScope, type Scope } from './scope.js';

/** Resolves the condition of a clause. @throws QueryFault if it is not a BOOL */
export function resolveCondition(node: Expression, scope: Scope): bound.Expression {
  const value = asBool(resolveExpression(node, scope));
  if (value.type.kind === 'BOOL') return value;
  if (value.kind === 'literal' && value.value === null)
    return coerce(value, scalar('BOOL'), node.at);
  const message = `${scope.clause ?? 'HAVING clause'} should return type BOOL, but returns ${value.type.kind}`;
  throw new QueryFault(message, node.at);
}

/** Resolves LIMIT or OFFSET, which cannot use columns. @throws QueryFault for anything but a count */
export function resolveCount(node: Expression, scope: Scope): bound.Expression {
  return checkCount(node, resolveExpression(node, emptyScope(scope.statement, [])));
}
