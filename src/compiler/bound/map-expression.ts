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
import { type BinaryCall, blockHasSubquery, isBinaryCall, isChain } from './search.js';

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

/** A mapper within an expression. */
interface Walk extends BoundMapper {
  /** The CTEs that have been mapped so far, by id; absent outside of queries. */
  readonly ctes?: Map<number, BoundCte>;
}

/** A mapper within a query. */
interface QueryWalk extends Required<Pick<Walk, 'ctes'>>, BoundMapper {
  /** Whether no function is called for expressions: those without sub-selects stay as they are. */
  readonly skipsExpressions: boolean;
}

function inQuery(mapper: BoundMapper): QueryWalk {
  const { simplify, expression } = mapper;
  const skipsExpressions = simplify === undefined && expression === undefined;
  return { ctes: new Map(), ...mapper, skipsExpressions };
}

/**
 * Maps every node of a statement, inner queries before outer ones. A read of a CTE then refers to the
 * mapped CTE. Unchanged nodes are returned as they are, not copied.
 */
export function mapQueries(query: BoundQuery, mapper: BoundMapper): BoundQuery {
  return mapQuery(query, 'statement', inQuery(mapper));
}

/**
 * Replaces an expression, or parts of it, from the outside in: the parts of an expression are visited
 * only if `replace` returns undefined for it.
 */
export function mapExpression(
  expression: BoundExpression,
  replace: (expression: BoundExpression) => BoundExpression | undefined,
): BoundExpression {
  return mapOne(expression, { expression: replace });
}

/** Applies {@link mapExpression} to all expressions of a statement. */
export function mapExpressions(
  query: BoundQuery,
  replace: (expression: BoundExpression) => BoundExpression | undefined,
): BoundQuery {
  return mapQueries(query, { expression: replace });
}

function mapOne(expression: BoundExpression, walk: Walk): BoundExpression {
  const node = walk.simplify?.(expression) ?? expression;
  const replaced = walk.expression?.(node);
  if (replaced !== undefined) return replaced;
  return isChain(node) ? mapChain(node, walk) : mapParts(node, walk);
}

/** Operator chains are iterated from the first operand: recursion would overflow the stack on long ones. */
function mapChain(last: BinaryCall, walk: Walk): BoundExpression {
  const chain: BinaryCall[] = [];
  let node: BoundExpression = last;
  let replaced: BoundExpression | undefined;
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

function mapParts(expression: BoundExpression, walk: Walk): BoundExpression {
  switch (expression.kind) {
    case 'plain':
      return withParts(expression, {
        of: mapOne(expression.of, walk),
        owner: mapOptional(expression.owner, walk),
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
      return mapCall(expression, walk);
    case 'case':
      return withParts(expression, {
        operand: mapOptional(expression.operand, walk),
        whens: mapList(expression.whens, (branch) =>
          withParts(branch, {
            when: mapOne(branch.when, walk),
            result: mapOne(branch.result, walk),
          }),
        ),
        otherwise: mapOne(expression.otherwise, walk),
      });
    case 'array':
      return withParts(expression, { elements: mapAll(expression.elements, walk) });
    case 'struct':
      return withParts(expression, { values: mapAll(expression.values, walk) });
    case 'subquery':
      return withParts(expression, {
        operand: mapOptional(expression.operand, walk),
        query: mapQuery(expression.query, expression.form, inQuery(walk)),
      });
    default:
      return expression;
  }
}

function mapAll(list: readonly BoundExpression[], walk: Walk): readonly BoundExpression[] {
  return mapList(list, (expression) => mapOne(expression, walk));
}

function mapOptional<T extends BoundExpression | undefined>(expression: T, walk: Walk) {
  return expression && mapOne(expression, walk);
}

function mapCall(node: BoundCall, walk: Walk): BoundCall {
  const args = mapAll(node.args, walk);
  const clauses = node.clauses && mapClauses(node.clauses, walk);
  const isSame = args === node.args && clauses === node.clauses;
  return isSame ? node : withParts(node, { args, clauses });
}

function mapClauses(clauses: BoundClauses, walk: Walk): BoundClauses {
  const { having, over } = clauses;
  return withParts(clauses, {
    orderBy: mapOrders(clauses.orderBy, walk),
    limit: mapOptional(clauses.limit, walk),
    having: having && withParts(having, { value: mapOne(having.value, walk) }),
    over: over && mapWindow(over, walk),
  });
}

function mapWindow(window: BoundWindow, walk: Walk): BoundWindow {
  const bound = (end: BoundFrameBound) => withParts(end, { offset: mapOptional(end.offset, walk) });
  const { frame } = window;
  return withParts(window, {
    partitionBy: mapAll(window.partitionBy, walk),
    orderBy: mapOrders(window.orderBy, walk),
    frame: frame && withParts(frame, { start: bound(frame.start), end: bound(frame.end) }),
  });
}

function mapOrders(orders: readonly BoundOrder[], walk: Walk): readonly BoundOrder[] {
  return mapList(orders, (order) => withParts(order, { value: mapOne(order.value, walk) }));
}

function mapQuery(query: BoundQuery, role: QueryRole, walk: QueryWalk): BoundQuery {
  const ctes = mapList(query.ctes, (cte) => {
    const mapped = withParts(cte, { query: mapQuery(cte.query, 'cte', walk) });
    walk.ctes.set(cte.id, mapped);
    return mapped;
  });
  const mapped = withParts(query, {
    ctes,
    body: mapBody(query.body, walk),
    orderBy: mapOrders(query.orderBy, walk),
    limit: mapOptional(query.limit, walk),
    offset: mapOptional(query.offset, walk),
  });
  return walk.query?.(mapped, role) ?? mapped;
}

function mapBody(body: BoundQuery['body'], walk: QueryWalk): BoundQuery['body'] {
  if (body.kind === 'query') return mapQuery(body, 'body', walk);
  if (body.kind === 'select') return mapSelect(body, walk);
  const operands = mapList(body.operands, (operand) => mapQuery(operand, 'body', walk));
  return withParts(body, { operands });
}

function mapSelect(select: BoundSelect, walk: QueryWalk): BoundSelect {
  const from = mapFrom(select.from, walk);
  if (walk.skipsExpressions && !blockHasSubquery(select)) return withParts(select, { from });
  const { where, grouping, having, qualify } = select;
  return withParts(select, {
    from,
    items: mapItems(select.items, walk),
    where: where && mapOne(where, walk),
    grouping:
      grouping &&
      withParts(grouping, {
        keys: mapItems(grouping.keys, walk),
        aggregates: mapItems(grouping.aggregates, walk),
      }),
    having: having && mapOne(having, walk),
    qualify: walk.skipsQualify ? qualify : qualify && mapOne(qualify, walk),
  });
}

function mapFrom(from: BoundFrom, walk: QueryWalk): BoundFrom {
  const mapped = mapFromParts(from, walk);
  return walk.from?.(mapped) ?? mapped;
}

function mapFromParts(from: BoundFrom, walk: QueryWalk): BoundFrom {
  switch (from.kind) {
    case 'cte':
      return withParts(from, { cte: walk.ctes.get(from.cte.id) ?? from.cte });
    case 'derived':
      return withParts(from, { query: mapQuery(from.query, 'from', walk) });
    case 'unnest':
      return withParts(from, {
        left: mapFrom(from.left, walk),
        array: mapOne(from.array, walk),
        on: mapOptional(from.on, walk),
        merged: mapItems(from.merged, walk),
      });
    case 'join':
      return withParts(from, {
        left: mapFrom(from.left, walk),
        right: mapFrom(from.right, walk),
        on: mapOptional(from.on, walk),
        merged: mapItems(from.merged, walk),
      });
    default:
      return from;
  }
}

function mapItems(items: readonly BoundItem[], walk: Walk): readonly BoundItem[] {
  return mapList(items, (item) => {
    const value = mapOne(item.value, walk);
    return value === item.value ? item : { ...item, value };
  });
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
