import type {
  BoundCall,
  BoundClauses,
  BoundCte,
  BoundExpression,
  BoundFrameBound,
  BoundFrom,
  BoundItem,
  BoundOrder,
  BoundQuery,
  BoundSelect,
  BoundWindow,
} from './bound.js';

/** The role of a query: a whole statement, a part of another query, or a subquery in an expression. */
export type QueryRole =
  | 'statement'
  | 'cte'
  | 'body'
  | 'from'
  | 'SCALAR'
  | 'ARRAY'
  | 'EXISTS'
  | 'IN';

/** The functions that {@link mapQueries} calls for each kind of node. */
export interface BoundMapper {
  /** Called first for each expression; its result is then mapped instead. */
  readonly simplify?: (expression: BoundExpression) => BoundExpression;
  /** Called for each expression; if it returns undefined, the parts of the expression are mapped. */
  readonly expression?: (expression: BoundExpression) => BoundExpression | undefined;
  /** Called for each item of FROM after its parts are mapped. */
  readonly from?: (from: BoundFrom) => BoundFrom;
  /** Called for each query after its parts are mapped. */
  readonly query?: (query: BoundQuery, role: QueryRole) => BoundQuery;
  /** Whether to leave the expressions of QUALIFY unmapped. */
  readonly skipsQualify?: boolean;
}

/** A mapper, and the CTEs that have been mapped so far, by id. */
interface Walk extends BoundMapper {
  readonly ctes: Map<number, BoundCte>;
}

/**
 * Maps every node of a statement, inner queries before outer ones. A read of a CTE then refers to the
 * mapped CTE. Unchanged nodes are returned as they are, not copied.
 */
export function mapQueries(query: BoundQuery, mapper: BoundMapper): BoundQuery {
  return mapQuery(query, 'statement', { ...mapper, ctes: new Map() });
}

/**
 * Replaces an expression, or parts of it, from the outside in: the parts of an expression are visited
 * only if `replace` returns undefined for it.
 */
export function mapExpression(
  expression: BoundExpression,
  replace: (expression: BoundExpression) => BoundExpression | undefined,
): BoundExpression {
  return mapOne(expression, { expression: replace, ctes: new Map() });
}

/** Applies {@link mapExpression} to all expressions of a statement. */
export function mapExpressions(
  query: BoundQuery,
  replace: (expression: BoundExpression) => BoundExpression | undefined,
): BoundQuery {
  return mapQueries(query, { expression: replace });
}

function mapOne(expression: BoundExpression, walk: Walk): BoundExpression {
  let node = walk.simplify?.(expression) ?? expression;
  let replaced = walk.expression?.(node);
  if (replaced !== undefined || !isBinaryCall(node)) return replaced ?? mapParts(node, walk);
  // Operator chains are iterated from the first operand: recursion would overflow the stack on long ones.
  const chain: BinaryCall[] = [];
  while (replaced === undefined && isBinaryCall(node)) {
    chain.push(node);
    const left: BoundExpression = node.args[0];
    node = walk.simplify?.(left) ?? left;
    replaced = walk.expression?.(node);
  }
  return chain.reduceRight<BoundExpression>((left, step) => {
    const [first, second] = step.args;
    const right = mapOne(second, walk);
    return left === first && right === second ? step : { ...step, args: [left, right] };
  }, replaced ?? mapParts(node, walk));
}

type BinaryCall = BoundCall & { readonly args: readonly [BoundExpression, BoundExpression] };

/** Whether a call may be part of a chain of binary operators. */
function isBinaryCall(node: BoundExpression): node is BinaryCall {
  return node.kind === 'call' && node.clauses === undefined && node.args.length === 2;
}

function mapParts(expression: BoundExpression, walk: Walk): BoundExpression {
  const map = (inner: BoundExpression) => mapOne(inner, walk);
  switch (expression.kind) {
    case 'plain':
      return withParts(expression, {
        of: map(expression.of),
        owner: expression.owner && map(expression.owner),
      });
    case 'field':
    case 'only':
    case 'inlined':
    case 'cast':
    case 'is-null': {
      const of = mapOne(expression.of, walk);
      return of === expression.of ? expression : { ...expression, of };
    }
    case 'call':
      return mapCall(expression, map);
    case 'case':
      return withParts(expression, {
        operand: expression.operand && map(expression.operand),
        whens: mapList(expression.whens, (branch) =>
          withParts(branch, { when: map(branch.when), result: map(branch.result) }),
        ),
        otherwise: map(expression.otherwise),
      });
    case 'array':
      return withParts(expression, { elements: mapList(expression.elements, map) });
    case 'struct':
      return withParts(expression, { values: mapList(expression.values, map) });
    case 'subquery':
      return withParts(expression, {
        operand: expression.operand && map(expression.operand),
        query: mapQuery(expression.query, expression.form, walk),
      });
    default:
      return expression;
  }
}

type MapOne = (expression: BoundExpression) => BoundExpression;

function mapCall(node: BoundCall, map: MapOne): BoundCall {
  const args = mapList(node.args, map);
  return withParts(node, { args, clauses: node.clauses && mapClauses(node.clauses, map) });
}

function mapClauses(clauses: BoundClauses, map: MapOne): BoundClauses {
  const { limit, having, over } = clauses;
  return withParts(clauses, {
    orderBy: mapOrders(clauses.orderBy, map),
    limit: limit && map(limit),
    having: having && withParts(having, { value: map(having.value) }),
    over: over && mapWindow(over, map),
  });
}

function mapWindow(window: BoundWindow, map: MapOne): BoundWindow {
  const bound = (end: BoundFrameBound) => withParts(end, { offset: end.offset && map(end.offset) });
  const { frame } = window;
  return withParts(window, {
    partitionBy: mapList(window.partitionBy, map),
    orderBy: mapOrders(window.orderBy, map),
    frame: frame && withParts(frame, { start: bound(frame.start), end: bound(frame.end) }),
  });
}

function mapOrders(orders: readonly BoundOrder[], map: MapOne): readonly BoundOrder[] {
  return mapList(orders, (order) => withParts(order, { value: map(order.value) }));
}

function mapQuery(query: BoundQuery, role: QueryRole, walk: Walk): BoundQuery {
  const map = (inner: BoundExpression) => mapOne(inner, walk);
  const ctes = mapList(query.ctes, (cte) => {
    const mapped = withParts(cte, { query: mapQuery(cte.query, 'cte', walk) });
    walk.ctes.set(cte.id, mapped);
    return mapped;
  });
  const mapped = withParts(query, {
    ctes,
    body: mapBody(query.body, walk),
    orderBy: mapOrders(query.orderBy, map),
    limit: query.limit && map(query.limit),
    offset: query.offset && map(query.offset),
  });
  return walk.query?.(mapped, role) ?? mapped;
}

function mapBody(body: BoundQuery['body'], walk: Walk): BoundQuery['body'] {
  if (body.kind === 'query') return mapQuery(body, 'body', walk);
  if (body.kind === 'select') return mapSelect(body, walk);
  const operands = mapList(body.operands, (operand) => mapQuery(operand, 'body', walk));
  return withParts(body, { operands });
}

function mapSelect(select: BoundSelect, walk: Walk): BoundSelect {
  const map = (inner: BoundExpression) => mapOne(inner, walk);
  const items = (list: readonly BoundItem[]) =>
    mapList(list, (item) => withParts(item, { value: map(item.value) }));
  const { where, grouping, having, qualify } = select;
  return withParts(select, {
    from: mapFrom(select.from, walk),
    items: items(select.items),
    where: where && map(where),
    grouping:
      grouping &&
      withParts(grouping, { keys: items(grouping.keys), aggregates: items(grouping.aggregates) }),
    having: having && map(having),
    qualify: walk.skipsQualify ? qualify : qualify && map(qualify),
  });
}

function mapFrom(from: BoundFrom, walk: Walk): BoundFrom {
  const mapped = mapFromParts(from, walk);
  return walk.from?.(mapped) ?? mapped;
}

function mapFromParts(from: BoundFrom, walk: Walk): BoundFrom {
  const map = (inner: BoundExpression) => mapOne(inner, walk);
  switch (from.kind) {
    case 'cte':
      return withParts(from, { cte: walk.ctes.get(from.cte.id) ?? from.cte });
    case 'derived':
      return withParts(from, { query: mapQuery(from.query, 'from', walk) });
    case 'unnest':
      return withParts(from, {
        left: mapFrom(from.left, walk),
        array: map(from.array),
        on: from.on && map(from.on),
        merged: mapMerged(from.merged, map),
      });
    case 'join':
      return withParts(from, {
        left: mapFrom(from.left, walk),
        right: mapFrom(from.right, walk),
        on: from.on && map(from.on),
        merged: mapMerged(from.merged, map),
      });
    default:
      return from;
  }
}

function mapMerged(merged: readonly BoundItem[], map: MapOne): readonly BoundItem[] {
  return mapList(merged, (item) => withParts(item, { value: map(item.value) }));
}

/** A copy of the node with these parts; the node itself if they are the same. */
function withParts<T extends object>(
  node: T,
  parts: { readonly [K in keyof T]?: T[K] | undefined },
): T {
  let result = node;
  for (const key in parts) {
    const part = parts[key];
    if (part === undefined || part === node[key]) continue;
    if (result === node) result = { ...node };
    result[key] = part as T[typeof key];
  }
  return result;
}

function mapList<T>(list: readonly T[], map: (item: T, index: number) => T): readonly T[] {
  let result: T[] | undefined;
  // Not `list.entries()`: every rewrite of every node comes through here.
  let index = 0;
  for (const item of list) {
    const mapped = map(item, index);
    if (mapped !== item) result ??= [...list];
    if (result !== undefined) result[index] = mapped;
    index += 1;
  }
  return result ?? list;
}

/** Whether a test holds for an expression or any part of it. */
export function someExpression(
  expression: BoundExpression,
  test: (expression: BoundExpression) => boolean,
): boolean {
  let found = false;
  mapExpression(expression, (inner) => {
    found ||= test(inner);
    return undefined;
  });
  return found;
}

/** Whether an expression calls a window function. */
export function hasWindow(expression: BoundExpression): boolean {
  return someExpression(
    expression,
    (node) => node.kind === 'call' && node.clauses?.over !== undefined,
  );
}

/** Whether an expression contains a subquery. */
export function hasSubquery(expression: BoundExpression): boolean {
  return someExpression(expression, ({ kind }) => kind === 'subquery');
}

/** The names of all struct fields that a query reads. */
export function fieldNamesOf(query: BoundQuery): ReadonlySet<string> {
  const names = new Set<string>();
  const note = (expression: BoundExpression) => {
    if (expression.kind === 'field') names.add(expression.name);
    return undefined;
  };
  mapQueries(query, { expression: note });
  return names;
}

/** Whether a test holds for any expression in a query, subqueries included. */
export function someInQuery(
  query: BoundQuery,
  test: (expression: BoundExpression) => boolean,
): boolean {
  let found = false;
  mapQueries(query, {
    expression: (inner) => {
      found ||= test(inner);
      return undefined;
    },
  });
  return found;
}

/** Whether a query calls no function that may return another value each time. */
export function isRepeatable(query: BoundQuery): boolean {
  return !someInQuery(query, (node) => node.kind === 'call' && !node.function.isStable);
}
