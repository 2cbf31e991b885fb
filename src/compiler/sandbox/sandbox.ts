import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import { didYouMean } from '../../errors/suggest.js';
import type { Type } from '../../types/type.js';
import { findCalledFunction, isCallWord } from '../functions/find-function.js';
import type {
  Call,
  Expression,
  FromItem,
  Identifier,
  Join,
  Query,
  Select,
  TableReference,
} from '../syntax/tree.js';
import { checkLimit, checkName, parts } from './confine-table.js';

/** What a caller's query may read: its endpoint's CTEs and parameters, by name. */
export interface Allowed {
  readonly tables: readonly string[];
  readonly parameters: ReadonlyMap<string, Type>;
}

/**
 * The second stage, of a caller's query only, and the first layer of the sandbox: gives the tree as
 * it came, once each table in it is known to be the caller's own CTE or one of the endpoint's, each
 * node, function and parameter to be listed, and its size to be within the limits. It fails closed:
 * what `confine-table.ts` does not list is refused.
 * @throws QueryFault `accessDenied` for another table and whatever is not allowed, `invalidQuery`
 * for an unknown function or parameter, `resourcesExceeded` past a limit, each with its offset
 */
export function confine(query: Query, { tables, parameters }: Allowed): Query {
  const counts = { nodes: 0, joins: 0, ctes: 0 };
  const allowed = { tables: new Set(tables.map(lower)), ranges: new Set<string>() };
  walk(query, { ...allowed, endpoint: tables, parameters, counts, level: 0 });
  return query;
}

/** What is in sight at a place of the text. */
interface Scope {
  /** CTEs, in lower case: the endpoint's, and the caller's own that stand before. */
  readonly tables: ReadonlySet<string>;
  /** Tables and arrays of FROM, in lower case: the path of an array begins with one. */
  readonly ranges: Names;
  readonly endpoint: readonly string[];
  readonly parameters: ReadonlyMap<string, Type>;
  /** How many there were so far, in the whole text. */
  readonly counts: Record<'nodes' | 'joins' | 'ctes', number>;
  /** How many queries stand around. */
  readonly level: number;
}

/** Names that can be asked for. */
interface Names {
  has(name: string): boolean;
}

/** A node of any kind, of which nothing is known yet. */
interface AnyNode {
  readonly kind: string;
  /** Absent where the node has no text of its own. */
  readonly at?: number;
}

/** What some kinds ask beyond their parts, or how they are walked. */
const walkers: Readonly<Record<string, (node: never, scope: Scope) => unknown>> = {
  query: walkQuery,
  select: walkSelect,
  binary: walkChain,
  call: checkCall,
  parameter: checkParameter,
  // FROM alone brings these, by walkFrom.
  table: refuse,
  unnest: refuse,
  derived: refuse,
  join: refuse,
};

/** Any value of the tree: a node, a list, or the parts of one that has no kind of its own. */
function walk(value: unknown, scope: Scope): void {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) {
    for (const item of value) walk(item, scope);
  } else if (!('kind' in value)) {
    if ('quoted' in value) checkName(value as Identifier);
    for (const part of Object.values(value)) walk(part, scope);
  } else {
    const node = value as AnyNode;
    const walker = walkers[node.kind] ?? walkNode;
    walker(node as never, scope);
  }
}

function walkNode(node: AnyNode, scope: Scope): void {
  tally('nodes', node, scope);
  walkParts(node, scope);
}

/** `a + b + c`: down the left in a loop, since a chain may be longer than calls may nest. */
function walkChain(node: Extract<Expression, { kind: 'binary' }>, scope: Scope): void {
  let left: Expression = node;
  for (; left.kind === 'binary'; left = left.left) {
    tally('nodes', left, scope);
    walkParts(left, scope, ['left']);
  }
  walk(left, scope);
}

/** The listed parts of a node, without those that its walker has seen; any other is refused. */
function walkParts(node: AnyNode, scope: Scope, seen: readonly string[] = []): void {
  const listed = parts.get(node.kind);
  for (const name in node) {
    const part = (node as unknown as Readonly<Record<string, unknown>>)[name];
    if (typeof part !== 'object' && listed !== undefined) continue;
    if (!listed?.includes(name)) throw refuse(node);
    if (!seen.includes(name)) walk(part, scope);
  }
}

/** A CTE sees those before it, and never itself. */
function walkQuery(query: Query, around: Scope): void {
  tally('nodes', query, around);
  checkLimit('levels', around.level, query);
  let scope: Scope = { ...around, level: around.level + 1 };
  for (const cte of query.ctes) {
    tally('ctes', cte, scope);
    checkName(cte.name);
    walk(cte.query, scope);
    scope = { ...scope, tables: new Set([...scope.tables, lower(cte.name.name)]) };
  }
  const { body } = query;
  const inner = body.kind === 'select' ? walkSelect(body, scope) : scope;
  walkParts(query, inner, body.kind === 'select' ? ['ctes', 'body'] : ['ctes']);
}

/** Gives what the ORDER BY behind it sees. */
function walkSelect(select: Select, around: Scope): Scope {
  tally('nodes', select, around);
  const { from } = select;
  const scope = from === undefined ? around : withRanges(around, walkFrom(from, around, around));
  walkParts(select, scope, ['from']);
  return scope;
}

/** A FROM clause's names; `scope` has those to the left in it, `around` has not. */
function walkFrom(item: FromItem, scope: Scope, around: Scope): readonly string[] {
  tally('nodes', item, scope);
  if (item.kind === 'join') return walkJoin(item, scope, around);
  if (item.kind === 'table') checkTable(item, scope);
  // Only an array sees what stands to its left.
  walkParts(item, item.kind === 'derived' ? around : scope);
  const name = item.alias ?? (item.kind === 'table' ? item.path.at(-1) : undefined);
  return name === undefined ? [] : [lower(name.name)];
}

function walkJoin(join: Join, scope: Scope, around: Scope): readonly string[] {
  if (readsTable(join)) tally('joins', join, scope);
  const left = walkFrom(join.left, scope, around);
  const right = walkFrom(join.right, withRanges(scope, left), around);
  walkParts(join, withRanges(scope, [...left, ...right]), ['left', 'right']);
  return [...left, ...right];
}

/** Arrays alone, as an EXISTS over records has them, cost the engine no join. */
function readsTable(item: FromItem): boolean {
  if (item.kind !== 'join') return item.kind !== 'unnest';
  const known = tableReaders.get(item);
  if (known !== undefined) return known;
  const reads = readsTable(item.left) || readsTable(item.right);
  tableReaders.set(item, reads);
  return reads;
}

/** Kept, since each join of a chain asks those before it. */
const tableReaders = new WeakMap<Join, boolean>();

/** Asks the list and what was there before: a copy for each join would take the square of their number. */
function withRanges(scope: Scope, names: readonly string[]): Scope {
  const { ranges } = scope;
  return { ...scope, ranges: { has: (name) => names.includes(name) || ranges.has(name) } };
}

/** A CTE by its one name, or an array by a path from a range; a dotted name is never a CTE. */
function checkTable({ path, at }: TableReference, { tables, ranges, endpoint }: Scope): void {
  const [first, ...rest] = path.map((part) => lower(part.name));
  const isCte = rest.length === 0 && first !== undefined && !first.includes('.');
  const isAllowed = isCte ? tables.has(first) : rest.length > 0 && ranges.has(first ?? '');
  if (isAllowed) return;
  const name = path.map((part) => part.name).join('.');
  const near = didYouMean(name, endpoint);
  const message = `Table not found: ${shortName(name)}${near} (the tables are ${endpoint.join(', ')})`;
  throw new QueryFault(message, at, 'accessDenied');
}

function checkCall(call: Call, scope: Scope): void {
  if (!isCallWord(call)) findCalledFunction(call);
  walkNode(call, scope);
}

type Parameter = Extract<Expression, { kind: 'parameter' }>;

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

function tally(
  what: keyof Scope['counts'],
  { at = 0 }: Pick<AnyNode, 'at'>,
  { counts }: Scope,
): void {
  checkLimit(what, ++counts[what], { at });
}

function lower(name: string): string {
  return name.toLowerCase();
}
