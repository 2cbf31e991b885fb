import type { DuckCall, DuckExpression } from '../duckdb-sql.js';
import { isComputed, isHeavy, letOnce } from '../let.js';
import { type DuckMapper, mapChildren } from '../map-tree.js';
import * as macros from './macro-arguments.js';

/**
 * Makes the arguments of a macro call variables of a lambda if the macro would repeat them. The engine
 * expands a macro by copying its arguments to each use, and plans the body of a lambda several times, so
 * the cost of nested calls would grow exponentially. Also, in a sub-select the engine does not find a
 * column that a macro uses in a lambda or in a struct.
 * `bq.m(f(x))` -> `list_transform([{a0: f(x)}], lambda argument: bq.m(argument.a0))[1]`
 */
export const letArguments: DuckMapper = {
  expression: (node) => mapChildren(node.kind === 'call' ? letCall(node) : node, letArguments),
};

function letCall(node: DuckCall): DuckExpression {
  const { path, args } = node;
  const name = macroBaseName(path);
  if (macros.macrosWithSubselects.has(name)) return node;
  const write = (variables: readonly DuckExpression[]) => ({ ...node, args: variables });
  const inLambdas = lambdaIndexes.get(name) ?? '';
  if (args.some((arg, index) => inLambdas.includes(String(index)) && isComputed(arg))) {
    return letOnce(args, write, 0, 'argument');
  }
  const mayRepeat =
    name === ''
      ? macros.engineMacros.has(path[0] ?? '')
      : !macros.macrosUsingArgumentsOnce.has(name);
  if (!mayRepeat) return node;
  const isHeavyCall = args.some((arg) => isComputed(arg) && isHeavy(arg));
  return isHeavyCall ? letOnce(args, write, undefined, 'argument') : node;
}

/** The indexes of the arguments that macros use in lambdas, each a digit. */
const lambdaIndexes: ReadonlyMap<string | undefined, string | undefined> = new Map(
  [...macros.argumentsInLambdas].map((one) => [one.split('.')[0], one.split('.')[1]]),
);

/** The name of a macro without the prefix of a twin: a twin uses its arguments in the same way. */
function macroBaseName([first = '', name = '']: DuckCall['path']): string {
  return first === 'bq' ? name.replace(/^safe_/, '') : '';
}
