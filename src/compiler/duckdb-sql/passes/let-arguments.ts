import type { DuckCall, DuckExpression, DuckQuery } from '../duckdb-sql.js';
import { isComputed, isHeavy, letAs } from '../let.js';
import { mapChildren, nodeKind } from '../map-tree.js';
import {
  argumentsInLambdas,
  engineMacros,
  macrosUsingArgumentsOnce,
  macrosWithSubselects,
} from './macro-arguments.js';

/**
 * Makes the arguments of a macro call variables of a lambda if the macro would repeat them. The engine
 * expands a macro by copying its arguments to each use, and plans the body of a lambda several times, so
 * the cost of nested calls would grow exponentially. Also, in a sub-select the engine does not find a
 * column that a macro uses in a lambda or in a struct.
 * `bq.m(f(x))` -> `list_transform([{a0: f(x)}], lambda argument: bq.m(argument.a0))[1]`
 */
export function letArguments(query: DuckQuery): DuckQuery {
  return letIn(query) as DuckQuery;
}

function letIn(node: object): object {
  const call = isCall(node) ? letCall(node) : node;
  return mapChildren(call, letIn);
}

function isCall(node: object): node is DuckCall {
  return nodeKind(node) === 'call';
}

function letCall(node: DuckCall): DuckExpression {
  const { path, args } = node;
  const name = baseOf(path);
  if (macrosWithSubselects.has(name)) return node;
  const write = (variables: readonly DuckExpression[]) => ({ ...node, args: variables });
  const inLambdas = lambdaIndexes.get(name) ?? '';
  if (args.some((arg, index) => inLambdas.includes(String(index)) && isComputed(arg))) {
    return letAs('argument', args, write, 0);
  }
  if (!mayRepeatArguments(node)) return node;
  const isHeavyCall = args.some((arg) => isComputed(arg) && isHeavy(arg));
  return isHeavyCall ? letAs('argument', args, write) : node;
}

/** The indexes of the arguments that macros use in lambdas, each a digit. */
const lambdaIndexes: ReadonlyMap<string | undefined, string | undefined> = new Map(
  [...argumentsInLambdas].map((one) => [one.split('.')[0], one.split('.')[1]]),
);

/** The name of a macro without the prefix of a twin: a twin uses its arguments in the same way. */
function baseOf([first = '', name = '']: DuckCall['path']): string {
  return first === 'bq' ? name.replace(/^safe_/, '') : '';
}

function mayRepeatArguments({ path }: DuckCall): boolean {
  const name = baseOf(path);
  return name === '' ? engineMacros.has(path[0] ?? '') : !macrosUsingArgumentsOnce.has(name);
}
