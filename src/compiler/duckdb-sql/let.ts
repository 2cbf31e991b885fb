import { words } from '../../values/words.js';
import {
  type DuckExpression,
  type DuckItem,
  type DuckNode,
  macro,
  variable,
} from './duckdb-sql.js';
import { someNode } from './map-tree.js';
import { constants } from './may-fail.js';
import { letBe } from './variable.js';

/** The maximum weight of an expression that is repeated instead of becoming a variable. */
const light = 6;

/**
 * Calls `write` with the arguments, which it may repeat: all except small ones become variables first, so
 * that nested calls do not grow exponentially, and a random value is drawn once. If one argument becomes a
 * variable, all others except constants do, too: in a sub-select the engine does not find a column in a
 * lambda's body, and the variable would hide another variable with its name.
 * `a || a` of `f(x)` -> `list_transform([{a0: f(x)}], lambda once: once.a0 || once.a0)[1]`
 */
export function letOnce(
  args: readonly DuckExpression[],
  write: (args: readonly DuckExpression[]) => DuckExpression,
  limit: number = light,
  name = 'once',
): DuckExpression {
  if (!args.some((arg) => isComputed(arg) && isHeavy(arg, limit))) return write(args);
  const all = variable(name);
  const fields = args.flatMap((value, index): readonly DuckItem[] =>
    isConstant(value) ? [] : [{ name: `a${index}`, value }],
  );
  const body = write(
    args.map((arg, index) =>
      isConstant(arg) ? arg : { kind: 'field', of: all, name: `a${index}` },
    ),
  );
  if (fields.length === 1 && isChainTo(all, body)) return write(args);
  return letBe({ kind: 'struct', fields }, name, body);
}

/** Calls a macro, which may repeat its arguments. */
export function letMacro(name: string, ...args: readonly DuckExpression[]): DuckExpression {
  return letOnce(args, (variables) => macro(name, ...variables));
}

/** Functions of the engine that do not repeat their arguments, because they are not macros. */
const functions = words('epoch_us make_timestamp make_timestamptz timezone');

/** Whether a body consists of casts and functions around one value: a variable would only cost a list per row. */
function isChainTo(variable: DuckExpression, body: DuckExpression): boolean {
  if (body.kind === 'field') return body.of === variable;
  if (body.kind === 'cast') return isChainTo(variable, body.of);
  if (body.kind !== 'call' || body.path.length > 1) return false;
  const [inner, ...others] = body.args.filter((arg) => !isConstant(arg));
  const isOne = inner !== undefined && others.length === 0;
  return isOne && functions.has(body.path[0] ?? '') && isChainTo(variable, inner);
}

/** Whether an expression is worth a variable: constants and variables themselves are not. */
export function isComputed(node: DuckExpression): boolean {
  return !isConstant(node) && !isVariable(node);
}

function isVariable(node: DuckExpression): boolean {
  return node.kind === 'name' || (node.kind === 'field' && isVariable(node.of));
}

function isConstant(node: DuckExpression): boolean {
  if (node.kind === 'cast') return isConstant(node.of);
  if (node.kind !== 'call') return constants.has(node.kind);
  return node.path.length === 1 && node.args.length > 0 && node.args.every(isConstant);
}

/** Whether an expression is too large to be repeated: counts its nodes, a macro or lambda as several. */
export function isHeavy(expression: DuckExpression, limit: number = light): boolean {
  let total = 0;
  return someNode(expression, (node) => {
    total += weighNode(node);
    return total > limit;
  });
}

const costly: ReadonlySet<string> = new Set(['lambda', 'case']);

function weighNode(node: DuckNode): number {
  const [first] = node.kind === 'call' ? node.path : [];
  if (node.kind === 'subquery' || first === 'random') return Number.POSITIVE_INFINITY;
  return first === 'bq' || costly.has(node.kind) ? light : 1;
}
