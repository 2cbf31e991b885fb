import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import type { Type } from '../../types/types.js';
import { findCalledFunction, isCallWord } from '../functions/find-function.js';
import { checkName } from '../syntax/check-name.js';
import type { Identifier } from '../syntax/names.js';
import { isNode, type Node } from '../syntax/nodes-in.js';
import type * as tree from '../syntax/tree.js';
import { allowedParts } from './allow-list.js';
import { checkLimit } from './limits.js';

/** The CTEs and parameters of an endpoint, which a caller's query may use. */
export interface Allowed {
  readonly tables: readonly string[];
  readonly parameters: ReadonlyMap<string, Type>;
}

/**
 * The second stage, for callers' queries only, and the first layer of the sandbox. Returns the tree
 * unchanged after checking that each table is a CTE of the caller or of the endpoint, that each node,
 * function and parameter is allowed, and that the query is within the limits. Fails closed: anything
 * that `allow-list.ts` does not list is refused.
 * @throws QueryFault `accessDenied` for another table and anything that is not allowed,
 * `invalidQuery` for an unknown function or parameter, `resourcesExceeded` beyond a limit
 */
export function confine(query: tree.Query, { tables, parameters }: Allowed): tree.Query {
  const counts = { nodes: 0, joins: 0, ctes: 0, operators: 0 };
  const allowed = { tables: new Set(tables.map(lower)), ranges: new Set<string>() };
  walk(query, { ...allowed, endpointTables: tables, parameters, counts, level: 0 });
  return query;
}

/** The names that are visible at a position in the query, and the counts so far. */
interface Scope {
  /** The names of CTEs, in lower case: the endpoint's, and earlier ones of the caller. */
  readonly tables: ReadonlySet<string>;
  /** The CTE that the query belongs to, in lower case, if it cannot read itself. */
  readonly unfinished?: string;
  /** The names of tables and arrays in FROM, in lower case; the path of an array begins with one. */
  readonly ranges: Pick<ReadonlySet<string>, 'has'>;
  /** The endpoint's CTEs as it names them, for messages. */
  readonly endpointTables: readonly string[];
  readonly parameters: ReadonlyMap<string, Type>;
  /** The counts so far in the whole query. */
  readonly counts: Record<'nodes' | 'joins' | 'ctes' | 'operators', number>;
  /** The nesting level of the query. */
  readonly level: number;
}

/** A node of any kind, not yet checked. */
interface AnyNode {
  readonly kind: string;
  /** Absent if the node has no offset. */
  readonly at?: number;
}

type NodeOf<K> = Node & { readonly kind: K };

/** Walkers for the node kinds that need other checks than {@link walkNode}. */
const walkers: { readonly [K in Node['kind']]?: (node: NodeOf<K>, scope: Scope) => unknown } = {
  query: walkQuery,
  select: walkSelect,
  binary: walkChain,
  call: checkCall,
  parameter: checkParameter,
  // Only allowed in FROM, where walkFrom walks them.
  table: refuse,
  unnest: refuse,
  derived: refuse,
  'gap-fill': refuse,
  pivot: refuse,
  piped: refuse,
  join: refuse,
  // Only allowed as the body of a query, where walkPipeline walks it.
  pipeline: refuse,
};

/** Walks any value in the tree: a node, a list, or an object without a kind. */
function walk(value: unknown, scope: Scope): void {
  if (typeof value !== 'object' || value === null) return;
  if (isIdentifier(value)) checkName(value);
  if (isNode(value)) walkKind(value, scope);
  else for (const part of Object.values(value)) walk(part, scope);
}

function walkKind<K extends Node['kind']>(node: NodeOf<K>, scope: Scope): void {
  (walkers[node.kind] ?? walkNode)(node, scope);
}

function isIdentifier(part: object): part is Identifier {
  return 'quoted' in part;
}

function walkNode(node: AnyNode, scope: Scope): void {
  tally('nodes', node, scope);
  walkParts(node, scope);
}

/** `a + b + c`: iterates over left operands, since recursion would overflow the stack on long chains. */
function walkChain(node: Extract<tree.Expression, { kind: 'binary' }>, scope: Scope): void {
  let left: tree.Expression = node;
  for (; left.kind === 'binary'; left = left.left) {
    tally('nodes', left, scope);
    walkParts(left, scope, ['left']);
  }
  walk(left, scope);
}

/** Walks the listed parts of a node, except those in `seen`; refuses any that are not listed. */
function walkParts<N extends AnyNode>(node: N, scope: Scope, seen: readonly string[] = []): void {
  const listed = allowedParts.get(node.kind);
  for (const name in node) {
    const part = node[name];
    if (typeof part !== 'object' && listed !== undefined) continue;
    if (!listed?.includes(name)) throw refuse(node);
    if (!seen.includes(name)) walk(part, scope);
  }
}

function walkQuery(query: tree.Query, around: Scope): void {
  tally('nodes', query, around);
  checkLimit('levels', around.level, query);
  const scope = withCtes(query.ctes, { ...around, level: around.level + 1 });
  const { body } = query;
  const inner = body.kind === 'select' ? walkSelect(body, scope) : scope;
  if (body.kind === 'pipeline') walkPipeline(body, scope);
  const isWalked = body.kind === 'select' || body.kind === 'pipeline';
  walkParts(query, inner, isWalked ? ['ctes', 'body'] : ['ctes']);
}

/** Adds CTEs to the scope; each can read earlier ones, and itself only if it is recursive. */
function withCtes(ctes: readonly tree.Cte[], around: Scope): Scope {
  let scope = around;
  for (const cte of ctes) {
    tally('ctes', cte, scope);
    checkName(cte.name);
    const name = lower(cte.name.name);
    const after = { ...scope, tables: new Set([...scope.tables, name]) };
    walk(cte.query, cte.isRecursive ? after : { ...scope, unfinished: name });
    scope = after;
  }
  return scope;
}

/** Walks a pipeline; each operator sees the CTEs defined before it, and the table names after the previous operator. */
function walkPipeline(pipeline: tree.Pipeline, around: Scope): void {
  tally('nodes', pipeline, around);
  walkParts(pipeline, around, ['input', 'operators']);
  const aggregations = pipeline.operators.filter(({ kind }) => aggregates.has(kind)).length;
  checkLimit('aggregations', 2 * around.level + aggregations, pipeline);
  let scope = around;
  const inner = { ...scope, level: scope.level + Math.ceil(aggregations / 2) };
  let names = walkFrom(pipeline.input, inner, inner);
  for (const operator of pipeline.operators) {
    tally('nodes', operator, scope);
    tally('operators', operator, scope);
    if (operator.kind === 'pipe-with') {
      walkParts(operator, scope, ['ctes']);
      scope = withCtes(operator.ctes, scope);
    } else names = walkOperator(operator, names, scope);
  }
}

/** Operators that group: two of them count as one level of subqueries. */
const aggregates: ReadonlySet<string> = new Set(['pipe-aggregate', 'pipe-pivot', 'pipe-distinct']);

/** Operators after which no table name is visible. */
const forgetsNames: readonly string[] = ['pipe-select', 'pipe-aggregate', 'pipe-set-operation'];

/** Returns the table names that are visible after an operator. */
function walkOperator(
  operator: tree.PipeOperator,
  names: readonly string[],
  scope: Scope,
): readonly string[] {
  const inner = withRanges(scope, names);
  if (operator.kind === 'pipe-pivot') {
    walkParts(operator, scope, ['pivot']);
    return walkPivot(operator.pivot, inner);
  }
  if (operator.kind === 'pipe-join') {
    if (readsTable(operator.right)) tally('joins', operator, scope);
    const right = walkFrom(operator.right, operator.right.kind === 'join' ? scope : inner, scope);
    const both = [...names, ...right];
    walkParts(operator, withRanges(scope, both), ['right']);
    return both;
  }
  walkParts(operator, operator.kind === 'pipe-set-operation' ? scope : inner);
  if (operator.kind === 'pipe-as') return [lower(operator.alias.name)];
  return forgetsNames.includes(operator.kind) ? [] : names;
}

/** Returns the scope of the query's ORDER BY. */
function walkSelect(select: tree.Select, around: Scope): Scope {
  tally('nodes', select, around);
  const { from } = select;
  const scope = from === undefined ? around : withRanges(around, walkFrom(from, around, around));
  walkParts(select, scope, ['from']);
  return scope;
}

/** Returns the table names of a FROM item; `scope` includes the names to its left, `around` does not. */
function walkFrom(item: tree.FromItem, scope: Scope, around: Scope): readonly string[] {
  tally('nodes', item, scope);
  if (item.kind === 'join') return walkJoin(item, scope, around);
  if (item.kind === 'pivot') return walkPivot(item, around);
  if (item.kind === 'table') checkTable(item, scope);
  if (item.kind === 'piped') return refuse(item);
  // Only arrays can refer to items to the left.
  walkParts(item, item.kind === 'unnest' || item.kind === 'table' ? scope : around);
  const name = item.alias ?? (item.kind === 'table' ? item.path.at(-1) : undefined);
  return name === undefined ? [] : [lower(name.name)];
}

/** Walks a PIVOT; its aggregates and its column are repeated for each value, and count each time. */
function walkPivot(pivot: tree.Pivot, around: Scope): readonly string[] {
  const { input, aggregates, column, alias } = pivot;
  const scope =
    input.kind === 'piped' ? around : withRanges(around, walkFrom(input, around, around));
  walkParts(pivot, scope, ['input']);
  for (const _ of pivot.values.slice(1)) walk([aggregates, column], scope);
  return alias === undefined ? [] : [lower(alias.name)];
}

function walkJoin(join: tree.Join, scope: Scope, around: Scope): readonly string[] {
  if (readsTable(join)) tally('joins', join, scope);
  const left = walkFrom(join.left, scope, around);
  // A join in brackets sees no names from outside of them.
  const before = join.right.kind === 'join' ? around : withRanges(scope, left);
  const right = walkFrom(join.right, before, around);
  walkParts(join, withRanges(scope, [...left, ...right]), ['left', 'right']);
  return [...left, ...right];
}

/** Whether an item reads a table: joins of only arrays, as in EXISTS over records, are cheap and do not count. */
function readsTable(item: tree.FromItem): boolean {
  if (item.kind !== 'join') return item.kind !== 'unnest';
  const cached = tableReaders.get(item);
  if (cached !== undefined) return cached;
  const reads = readsTable(item.left) || readsTable(item.right);
  tableReaders.set(item, reads);
  return reads;
}

/** Cached, because each join of a chain needs the result for the joins before it. */
const tableReaders = new WeakMap<tree.Join, boolean>();

/** Adds names to a scope without copying the set, which would be quadratic for a chain of joins. */
function withRanges(scope: Scope, names: readonly string[]): Scope {
  const { ranges } = scope;
  return { ...scope, ranges: { has: (name) => names.includes(name) || ranges.has(name) } };
}

/** Allows a CTE by name, and an array by a path that begins with a range. No CTE has a dot in its name. */
function checkTable({ path, at }: tree.TableReference, scope: Scope): void {
  const { tables, ranges, endpointTables, unfinished } = scope;
  const [first, ...rest] = path.map((part) => lower(part.name));
  const isCte = rest.length === 0 && first !== undefined && !first.includes('.');
  const isAllowed = isCte ? tables.has(first) : rest.length > 0 && ranges.has(first ?? '');
  if (isAllowed) return;
  const name = path.map((part) => part.name).join('.');
  // A source's own name, such as `logs.edge_logs`, ends with the name of its CTE.
  const last = lower(name.slice(name.lastIndexOf('.') + 1));
  const near =
    isCte && first === unfinished
      ? '; a CTE that reads itself needs WITH RECURSIVE'
      : didYouMean(endpointTables.includes(last) ? last : name, endpointTables);
  const message = `Table not found: ${shortName(name)}${near} (the tables are ${endpointTables.join(', ')})`;
  throw new QueryFault(message, at, 'accessDenied');
}

function checkCall(call: tree.Call, scope: Scope): void {
  if (!isCallWord(call)) findCalledFunction(call);
  walkNode(call, scope);
}

type Parameter = Extract<tree.Expression, { kind: 'parameter' }>;

function checkParameter(node: Parameter, scope: Scope): void {
  walkNode(node, scope);
  const names = [...scope.parameters.keys()];
  if (names.some((name) => lower(name) === lower(node.name))) return;
  const near = didYouMean(node.name, names);
  throw new QueryFault(`Query parameter '${shortName(node.name)}' not found${near}`, node.at);
}

function refuse({ kind, at = 0 }: AnyNode): never {
  throw new QueryFault(`Syntax that is not allowed here: ${kind}`, at, 'accessDenied');
}

function tally(what: keyof Scope['counts'], { at = 0 }: { at?: number }, { counts }: Scope): void {
  counts[what] += 1;
  checkLimit(what, counts[what], { at });
}

function lower(name: string): string {
  return name.toLowerCase();
}
