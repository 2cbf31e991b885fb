import type {
  BoundCall,
  BoundClauses,
  BoundExpression,
  BoundFrom,
  BoundItem,
  BoundOrder,
  BoundQuery,
  BoundSelect,
  BoundWindow,
} from './bound.js';

/** A condition on an expression. */
type Test = (expression: BoundExpression) => boolean;

/**
 * Whether a test holds for an expression or any part of it, sub-selects included. The parts are visited
 * from left to right, each before its own parts, until the test holds for one.
 */
export function someExpression(expression: BoundExpression, test: Test): boolean {
  if (test(expression)) return true;
  return isChain(expression) ? someOfChain(expression, test) : someOfParts(expression, test);
}

/** Whether a test holds for any expression in a query, subqueries included. */
export function someInQuery(query: BoundQuery, test: Test): boolean {
  const { ctes, body, orderBy, limit, offset } = query;
  return (
    ctes.some((cte) => someInQuery(cte.query, test)) ||
    someInBody(body, test) ||
    someOfValues(orderBy, test) ||
    someOptional(limit, test) ||
    someOptional(offset, test)
  );
}

/** Whether an expression calls a window function. */
export function hasWindow(expression: BoundExpression): boolean {
  return someExpression(expression, isWindow);
}

function isWindow(node: BoundExpression): boolean {
  return node.kind === 'call' && node.clauses?.over !== undefined;
}

/** Whether an expression contains a subquery. */
export function hasSubquery(expression: BoundExpression): boolean {
  return someExpression(expression, isSubquery);
}

/** Cached, because each rewrite of queries asks it of each block. */
const blocksWithSubqueries = new WeakMap<BoundSelect, boolean>();

/** Whether an expression of a block contains a subquery, FROM aside. */
export function blockHasSubquery(select: BoundSelect): boolean {
  const cached = blocksWithSubqueries.get(select);
  if (cached !== undefined) return cached;
  const found = someInBlock(select, isSubquery);
  blocksWithSubqueries.set(select, found);
  return found;
}

function isSubquery({ kind }: BoundExpression): boolean {
  return kind === 'subquery';
}

/** Whether a query calls no function that may return another value each time. */
export function isRepeatable(query: BoundQuery): boolean {
  return !someInQuery(query, (node) => node.kind === 'call' && !node.function.isStable);
}

/** The names of all struct fields that a query reads. */
export function fieldNamesOf(query: BoundQuery): ReadonlySet<string> {
  const names = new Set<string>();
  someInQuery(query, (expression) => {
    if (expression.kind === 'field') names.add(expression.name);
    return false;
  });
  return names;
}

/** A call that may be part of a chain of binary operators. */
export type BinaryCall = BoundCall & {
  readonly args: readonly [BoundExpression, BoundExpression];
};

/** Whether an expression is a {@link BinaryCall}. */
export function isBinaryCall(node: BoundExpression): node is BinaryCall {
  return node.kind === 'call' && node.clauses === undefined && node.args.length === 2;
}

/** Whether a call is the last one of a chain of three or more: only those are worth a loop. */
export function isChain(node: BoundExpression): node is BinaryCall {
  if (!isBinaryCall(node)) return false;
  const [left] = node.args;
  return isBinaryCall(left) && isBinaryCall(left.args[0]);
}

/** Operator chains are iterated from the first operand: recursion would overflow the stack on long ones. */
function someOfChain(last: BinaryCall, test: Test): boolean {
  const chain: BinaryCall[] = [];
  let node: BoundExpression = last;
  while (isBinaryCall(node)) {
    chain.push(node);
    node = node.args[0];
    if (test(node)) return true;
  }
  if (someOfParts(node, test)) return true;
  return chain.reverse().some(({ args }) => someExpression(args[1], test));
}

function someOfParts(expression: BoundExpression, test: Test): boolean {
  switch (expression.kind) {
    case 'call':
      return someOf(expression.args, test) || someInClauses(expression.clauses, test);
    case 'field':
    case 'only':
    case 'inlined':
    case 'cast':
    case 'is-null':
      return someExpression(expression.of, test);
    case 'plain':
      return someExpression(expression.of, test) || someOptional(expression.owner, test);
    case 'case':
      return (
        someOptional(expression.operand, test) ||
        expression.whens.some(
          ({ when, result }) => someExpression(when, test) || someExpression(result, test),
        ) ||
        someExpression(expression.otherwise, test)
      );
    case 'array':
      return someOf(expression.elements, test);
    case 'struct':
      return someOf(expression.values, test);
    case 'subquery':
      return someOptional(expression.operand, test) || someInQuery(expression.query, test);
    default:
      return false;
  }
}

function someOf(expressions: readonly BoundExpression[], test: Test): boolean {
  for (const expression of expressions) if (someExpression(expression, test)) return true;
  return false;
}

function someOptional(expression: BoundExpression | undefined, test: Test): boolean {
  return expression !== undefined && someExpression(expression, test);
}

/** The items of a SELECT list, or the keys of ORDER BY. */
function someOfValues(
  values: readonly Pick<BoundItem | BoundOrder, 'value'>[],
  test: Test,
): boolean {
  for (const { value } of values) if (someExpression(value, test)) return true;
  return false;
}

function someInClauses(clauses: BoundClauses | undefined, test: Test): boolean {
  if (clauses === undefined) return false;
  const { orderBy, limit, having, over } = clauses;
  return (
    someOfValues(orderBy, test) ||
    someOptional(limit, test) ||
    someOptional(having?.value, test) ||
    (over !== undefined && someInWindow(over, test))
  );
}

function someInWindow({ partitionBy, orderBy, frame }: BoundWindow, test: Test): boolean {
  return (
    someOf(partitionBy, test) ||
    someOfValues(orderBy, test) ||
    someOptional(frame?.start.offset, test) ||
    someOptional(frame?.end.offset, test)
  );
}

function someInBody(body: BoundQuery['body'], test: Test): boolean {
  if (body.kind === 'query') return someInQuery(body, test);
  if (body.kind === 'select') return someInSelect(body, test);
  return body.operands.some((operand) => someInQuery(operand, test));
}

function someInSelect(select: BoundSelect, test: Test): boolean {
  return someInFrom(select.from, test) || someInBlock(select, test);
}

/** The expressions of a block, without those of FROM. */
function someInBlock(select: BoundSelect, test: Test): boolean {
  const { items, where, grouping, having, qualify } = select;
  return (
    someOfValues(items, test) ||
    someOptional(where, test) ||
    someOfValues(grouping?.keys ?? [], test) ||
    someOfValues(grouping?.aggregates ?? [], test) ||
    someOptional(having, test) ||
    someOptional(qualify, test)
  );
}

/** A CTE is searched where it is defined, not where it is read. */
function someInFrom(from: BoundFrom, test: Test): boolean {
  switch (from.kind) {
    case 'derived':
      return someInQuery(from.query, test);
    case 'unnest':
      return (
        someInFrom(from.left, test) ||
        someExpression(from.array, test) ||
        someOptional(from.on, test) ||
        someOfValues(from.merged, test)
      );
    case 'join':
      return (
        someInFrom(from.left, test) ||
        someInFrom(from.right, test) ||
        someOptional(from.on, test) ||
        someOfValues(from.merged, test)
      );
    default:
      return false;
  }
}
