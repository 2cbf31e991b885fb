import type * as bound from './bound.js';
import {
  type BinaryCall,
  blockHasSubquery,
  isBinaryCall,
  isChain,
  isExpression,
  leaves,
} from './search.js';

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
  readonly simplify?: (expression: bound.Expression) => bound.Expression;
  /** Called for each expression; if it returns undefined, the parts of the expression are mapped. */
  readonly expression?: (expression: bound.Expression) => bound.Expression | undefined;
  /** Called for each item of FROM after its parts are mapped. */
  readonly from?: (from: bound.From) => bound.From;
  /** Called for each query after its parts are mapped. */
  readonly query?: (query: bound.Query, role: QueryRole) => bound.Query;
  /** Whether to leave the expressions of QUALIFY unmapped. */
  readonly skipsQualify?: boolean;
}

/** A mapper within a statement. */
interface Walk extends BoundMapper {
  /** The CTEs that have been mapped so far, by id. */
  readonly ctes: Map<number, bound.Cte>;
  /** Whether the mapper has no function for expressions: those without sub-selects then stay as they are. */
  readonly skipsExpressions: boolean;
  /** The properties of nodes that are not mapped, or mapped separately. */
  readonly skipped: ReadonlySet<string>;
}

/** CTEs and FROM are mapped before the other parts of their query. */
const skipped: ReadonlySet<string> = new Set([...leaves, 'ctes', 'from']);
const skippedWithQualify: ReadonlySet<string> = new Set([...skipped, 'qualify']);

function startWalk(mapper: BoundMapper): Walk {
  const { simplify, expression, skipsQualify } = mapper;
  return {
    ...mapper,
    ctes: new Map(),
    skipsExpressions: simplify === undefined && expression === undefined,
    skipped: skipsQualify ? skippedWithQualify : skipped,
  };
}

/**
 * Maps every node of a statement, inner queries before outer ones. A read of a CTE then refers to the
 * mapped CTE. Unchanged nodes are returned as they are, not copied.
 */
export function mapQueries(query: bound.Query, mapper: BoundMapper): bound.Query {
  return mapQuery(query, 'statement', startWalk(mapper));
}

/**
 * Replaces an expression, or parts of it, from the outside in: the parts of an expression are visited
 * only if `replace` returns undefined for it.
 */
export function mapExpression(
  expression: bound.Expression,
  replace: (expression: bound.Expression) => bound.Expression | undefined,
): bound.Expression {
  return mapOne(expression, startWalk({ expression: replace }));
}

function mapOne(expression: bound.Expression, walk: Walk): bound.Expression {
  const node = walk.simplify?.(expression) ?? expression;
  const replaced = walk.expression?.(node);
  if (replaced !== undefined) return replaced;
  return isChain(node) ? mapChain(node, walk) : mapParts(node, walk);
}

/** Operator chains are iterated from the first operand: recursion would overflow the stack on long ones. */
function mapChain(last: BinaryCall, walk: Walk): bound.Expression {
  const chain: BinaryCall[] = [];
  let node: bound.Expression = last;
  let replaced: bound.Expression | undefined;
  while (replaced === undefined && isBinaryCall(node)) {
    chain.push(node);
    const left: bound.Expression = node.args[0];
    node = walk.simplify?.(left) ?? left;
    replaced = walk.expression?.(node);
  }
  return chain.reduceRight<bound.Expression>((left, step) => {
    const [first, second] = step.args;
    const right = mapOne(second, walk);
    return left === first && right === second ? step : { ...step, args: [left, right] };
  }, replaced ?? mapParts(node, walk));
}

function mapParts(expression: bound.Expression, walk: Walk): bound.Expression {
  return mapBelow(expression, expression.kind === 'subquery' ? expression.form : 'body', walk);
}

function mapQuery(query: bound.Query, role: QueryRole, walk: Walk): bound.Query {
  const ctes = mapList(query.ctes, (cte) => {
    const mapped = mapBelow(cte, 'cte', walk);
    walk.ctes.set(cte.id, mapped);
    return mapped;
  });
  const mapped = mapBelow(withPart(query, 'ctes', ctes), 'body', walk);
  return walk.query?.(mapped, role) ?? mapped;
}

function mapSelect(select: bound.Select, walk: Walk): bound.Select {
  const mapped = withPart(select, 'from', mapFrom(select.from, walk));
  if (walk.skipsExpressions && !blockHasSubquery(select)) return mapped;
  return mapBelow(mapped, 'body', walk);
}

function mapFrom(from: bound.From, walk: Walk): bound.From {
  const mapped =
    from.kind === 'cte'
      ? withPart(from, 'cte', walk.ctes.get(from.cte.id) ?? from.cte)
      : mapBelow(from, 'from', walk);
  return walk.from?.(mapped) ?? mapped;
}

/** Maps the parts of a node; `role` is the role of a query among the parts. */
function mapBelow<T extends object>(node: T, role: QueryRole, walk: Walk): T {
  let mapped = node;
  // `for … in` allocates no list of keys; most parts are strings or numbers.
  for (const key in node) {
    const part = node[key];
    if (typeof part !== 'object' || part === null || walk.skipped.has(key)) continue;
    const changed = mapNode(part, role, walk);
    // Each node is replaced by one that may stand in its place.
    if (changed !== part) mapped = { ...mapped, [key]: changed };
  }
  return mapped;
}

function mapNode(node: unknown, role: QueryRole, walk: Walk): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return mapList(node, (item) => mapNode(item, role, walk));
  if (isExpression(node)) return mapOne(node, walk);
  if (!isNode(node)) return mapBelow(node, role, walk);
  if (node.kind === 'query') return mapQuery(node, role, walk);
  return node.kind === 'select' ? mapSelect(node, walk) : mapFrom(node, walk);
}

function withPart<T extends object, K extends keyof T>(node: T, key: K, part: T[K]): T {
  return part === node[key] ? node : { ...node, [key]: part };
}

/** A node that is mapped in its own way. */
type Node = bound.Query | bound.Select | bound.From;

const nodeKinds: ReadonlySet<unknown> = new Set<Node['kind']>([
  ...(['query', 'select', 'none', 'source', 'cte', 'self', 'table'] as const),
  ...(['derived', 'unnest', 'join'] as const),
]);

function isNode(node: object): node is Node {
  return 'kind' in node && nodeKinds.has(node.kind);
}

function mapList<T>(list: readonly T[], map: (item: T, index: number) => T): readonly T[] {
  let result: T[] | undefined;
  // Not `list.entries()`, which is slower: every rewrite of every node comes through here.
  let index = 0;
  for (const item of list) {
    const mapped = map(item, index);
    if (mapped !== item) result ??= [...list];
    if (result !== undefined) result[index] = mapped;
    index += 1;
  }
  return result ?? list;
}
