import * as bound from './bound.js';

/** A condition on an expression. */
type Test = (expression: bound.Expression) => boolean;

/**
 * Whether a test holds for an expression or any part of it, sub-selects included. The parts are visited
 * from left to right, each before its own parts, until the test holds for one.
 */
export function someExpression(expression: bound.Expression, test: Test): boolean {
  if (test(expression)) return true;
  return isChain(expression) ? someOfChain(expression, test) : someBelow(expression, test);
}

/** Whether an expression reads one of these columns. */
export function readsColumns(expression: bound.Expression, ids: ReadonlySet<number>): boolean {
  return someExpression(expression, (part) => part.kind === 'column' && ids.has(part.column.id));
}

/** Whether an expression calls a window function. */
export function hasWindow(expression: bound.Expression): boolean {
  return someExpression(expression, (node) => node.kind === 'call' && !!node.clauses?.over);
}

/** Whether an expression contains a subquery. */
export function hasSubquery(expression: bound.Expression): boolean {
  return someExpression(expression, isSubquery);
}

const withSubqueries = new WeakMap<bound.Select, boolean>();

/** Whether an expression of a block, outside FROM, contains a subquery; cached, since each pass over queries asks. */
export function blockHasSubquery(select: bound.Select): boolean {
  const known = withSubqueries.get(select);
  if (known !== undefined) return known;
  const { from: _, ...block } = select;
  const has = someBelow(block, isSubquery);
  withSubqueries.set(select, has);
  return has;
}

function isSubquery({ kind }: bound.Expression): boolean {
  return kind === 'subquery';
}

/** Whether a query calls no function that may return a different value each time. */
export function isRepeatable(query: bound.Query): boolean {
  return !someBelow(query, isUnstable);
}

/** Whether a node is a call that may return a different value each time. */
export function isUnstable(node: bound.Expression): boolean {
  return node.kind === 'call' && !node.function.isStable;
}

/** The names of all struct fields that a query reads. */
export function usedFieldNames(query: bound.Query): ReadonlySet<string> {
  const names = new Set<string>();
  someBelow(query, (expression) => {
    if (expression.kind === 'field') names.add(expression.name);
    return false;
  });
  return names;
}

/** Whether an expression reads a computed column, which may come from a parameter. */
export function readsComputed(value: bound.Expression): boolean {
  return someExpression(
    value,
    (one) => one.kind === 'inlined' || (one.kind === 'column' && !bound.isLogField(one)),
  );
}

/** A call that may be part of a chain of binary operators. */
export type BinaryCall = bound.Call & {
  readonly args: readonly [bound.Expression, bound.Expression];
};

/** Whether an expression is a {@link BinaryCall}. */
export function isBinaryCall(node: bound.Expression): node is BinaryCall {
  return node.kind === 'call' && node.clauses === undefined && node.args.length === 2;
}

/** Whether a call is the last one of a chain of three or more: shorter chains are not worth a loop. */
export function isChain(node: bound.Expression): node is BinaryCall {
  if (!isBinaryCall(node)) return false;
  const [left] = node.args;
  return isBinaryCall(left) && isBinaryCall(left.args[0]);
}

/** Operator chains are iterated from the first operand: recursion would overflow the stack on long ones. */
function someOfChain(last: BinaryCall, test: Test): boolean {
  const chain: BinaryCall[] = [];
  let node: bound.Expression = last;
  while (isBinaryCall(node)) {
    chain.push(node);
    node = node.args[0];
    if (test(node)) return true;
  }
  if (someBelow(node, test)) return true;
  return chain.reverse().some(({ args }) => someExpression(args[1], test));
}

/** The properties that contain no expressions to visit. */
export const leaves: ReadonlySet<string> = new Set([
  ...['column', 'columns', 'cte', 'function', 'limits', 'own', 'source', 'type'],
]);

/**
 * Whether a test holds for any expression below a node, such as a query, subqueries included. A CTE is searched
 * where it is defined, not where it is read.
 */
export function someBelow<T extends object>(node: T, test: Test): boolean {
  // `for … in` allocates no list of keys, which would be most of the cost of this walk.
  for (const key in node) {
    const part: unknown = node[key];
    if (typeof part !== 'object' || part === null || leaves.has(key)) continue;
    if (Array.isArray(part) ? part.some((item) => somePart(item, test)) : somePart(part, test))
      return true;
  }
  return false;
}

function somePart(part: unknown, test: Test): boolean {
  if (typeof part !== 'object' || part === null) return false;
  return isExpression(part) ? someExpression(part, test) : someBelow(part, test);
}

/** Whether a node is an expression: no other node with a kind has a type. */
export function isExpression(node: object): node is bound.Expression {
  return 'kind' in node && 'type' in node;
}
