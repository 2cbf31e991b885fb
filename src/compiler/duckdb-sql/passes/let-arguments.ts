import type { DuckCall, DuckExpression, DuckQuery } from '../duckdb-sql.js';
import { isHeavy, isLettable, letAs } from '../let.js';
import { mapChildren } from '../map-tree.js';
import {
  argumentsInLambdas,
  engineMacros,
  macrosUsingArgumentsOnce,
  macrosWithSubselects,
} from './macro-arguments.js';

/**
 * Binds the arguments of a macro call to variables of a lambda, where the macro would repeat them:
 * the engine writes out a macro's body with its arguments in it as often as the body names them, and
 * plans what a lambda holds several times, so the cost of nested calls would multiply. A column that
 * a macro names in a lambda or in a struct would also be out of the engine's sight in a sub-select.
 * `bq.m(f(x))` -> `list_transform([{a0: f(x)}], lambda argument: bq.m(argument.a0))[1]`
 */
export function letArguments(query: DuckQuery): DuckQuery {
  return letIn(query) as DuckQuery;
}

function letIn(node: object): object {
  const bound = isCall(node) ? letCall(node) : node;
  return mapChildren(bound, letIn);
}

function isCall(node: object): node is DuckCall {
  return 'kind' in node && node.kind === 'call';
}

function letCall(node: DuckCall): DuckExpression {
  const { path, args } = node;
  if (path[0] === 'bq' && macrosWithSubselects.has(path[1] ?? '')) return node;
  const write = (given: readonly DuckExpression[]) => ({ ...node, args: given });
  const inside = path[0] === 'bq' ? (argumentsInLambdas[path[1] ?? ''] ?? []) : [];
  if (args.some((arg, index) => inside.includes(index) && isLettable(arg))) {
    return letAs('argument', args, write, 0);
  }
  const isHeavyCall = args.some((arg) => isLettable(arg) && isHeavy(arg));
  return isHeavyCall && mayRepeatArguments(node) ? letAs('argument', args, write) : node;
}

function mayRepeatArguments({ path: [first = '', name] }: DuckCall): boolean {
  return name === undefined
    ? engineMacros.has(first)
    : first === 'bq' && !macrosUsingArgumentsOnce.has(name);
}
