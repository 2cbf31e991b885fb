import * as d from '../duckdb-sql.js';
import { mapChildren, someNode } from '../map-tree.js';
import { collectAliases, collectTables } from '../tables-of.js';

/** The maximum depth: the engine's planner multiplies its work for a block by at most two to this power. */
const maxDepth = 6;

/**
 * Stores rows that come from many nested aggregations, as in a long chain of CTEs: the engine's planner
 * pushes filters twice into the query below each aggregation or window, so twenty levels take minutes.
 * It plans stored rows separately, if they are CTEs of the statement and not of an inner query.
 * `select … from (<6 aggregations>) t` -> `with rows_1 as materialized (<6 aggregations>) select … from rows_1 t`
 */
export function storeDeepRows(statement: d.DuckQuery): d.DuckQuery {
  return mayBeDeep(statement) ? storeRows(statement) : statement;
}

/** Whether a statement has enough aggregations, windows and sub-selects for deep rows, nested or not. */
function mayBeDeep(statement: d.DuckQuery): boolean {
  let count = 0;
  return someNode(statement, (node) => {
    const { kind, groupKeys } = node as { readonly kind?: unknown; readonly groupKeys?: unknown };
    if (kind === 'subquery' || groupKeys !== undefined || 'over' in node) count += 1;
    return count >= maxDepth;
  });
}

function storeRows(statement: d.DuckQuery): d.DuckQuery {
  const names = new Set(collectAliases(statement));
  someNode(statement, (node) => {
    // The names of CTEs, and of anything else that has a name.
    if ('name' in node && typeof node.name === 'string') names.add(node.name.toLowerCase());
    return false;
  });
  let last = 0;
  const newName = (): string => {
    const name = `rows_${++last}`;
    return names.has(name) ? newName() : name;
  };
  const context: Context = { depths: new Map(), newName, ctes: [], stored: new Set() };
  const { ctes: _, ...rest } = measureQuery(statement, context).node;
  return context.stored.size === 0 ? statement : { ctes: context.ctes, ...rest };
}

interface Context {
  /** The depth of each CTE, by name. */
  readonly depths: Map<string, number>;
  readonly newName: () => string;
  /** All CTEs so far: their names are unique, so that all of them can become CTEs of the statement. */
  readonly ctes: d.DuckCte[];
  readonly stored: Set<string>;
}

/** A node in which deep rows are stored, and its nesting depth of aggregations, windows and sub-selects. */
interface Measured<T> {
  readonly node: T;
  readonly depth: number;
}

function measure<T extends object>(node: T, context: Context): Measured<T> {
  if (d.isQuery(node)) return measureQuery(node, context) as Measured<T & d.DuckQuery>;
  const own = isCorrelated(node) ? { ...context, ctes: [] } : context;
  let depth = depthOfRead(node, context);
  const mapped = mapChildren(node, (part) => {
    const inner = measure(part, own);
    depth = Math.max(depth, inner.depth);
    return inner.node;
  });
  const total = depth + ownDepth(node);
  const { kind } = mapped as { readonly kind?: unknown };
  if (own !== context) return { node: withCtes(mapped, own.ctes), depth: total };
  if (kind !== 'derived' || total < maxDepth) return { node: mapped, depth: total };
  const { query, ...from } = mapped as unknown as Derived;
  return { node: { ...from, query: storedQuery(query, context) } as object as T, depth: 0 };
}

type Derived = Extract<d.DuckFrom, { kind: 'derived' }>;

/** Whether a node is a sub-select that reads outer rows, which a CTE of the statement cannot do. */
function isCorrelated(node: object): boolean {
  if (!('kind' in node) || node.kind !== 'subquery' || !('query' in node)) return false;
  const own = collectAliases(node.query as object);
  return [...collectTables(node.query as object)].some((table) => !own.has(table));
}

/** Adds CTEs to a sub-select itself. */
function withCtes<T extends object>(node: T, ctes: readonly d.DuckCte[]): T {
  if (ctes.length === 0 || !('query' in node)) return node;
  return { ...node, query: { ...(node.query as d.DuckQuery), ctes } };
}

/** Measures a query, and moves its CTEs to `context.ctes`. */
function measureQuery(query: d.DuckQuery, context: Context): Measured<d.DuckQuery> {
  for (const cte of query.ctes) measureCte(cte, context);
  const { ctes: _, ...rest } = query;
  const { node, depth } = measure(rest, context);
  return { node: { ctes: [], ...node }, depth };
}

function measureCte(cte: d.DuckCte, context: Context): void {
  const { name, evaluation } = cte;
  if (evaluation === 'recursive') {
    // A recursive CTE is stored anyway, and its terms cannot be moved out of it.
    context.ctes.push(cte);
    return;
  }
  const { node: query, depth } = measureQuery(cte.query, context);
  const isDeep = depth >= maxDepth;
  if (isDeep) context.stored.add(name);
  context.depths.set(name, isDeep ? 0 : depth);
  context.ctes.push({ name, query, evaluation: isDeep ? 'stored' : evaluation });
}

function depthOfRead(node: object, { depths }: Context): number {
  const { kind, path } = node as { readonly kind?: unknown; readonly path?: readonly string[] };
  return kind === 'table' && path?.length === 1 ? (depths.get(path[0] ?? '') ?? 0) : 0;
}

function ownDepth(node: object): number {
  const { kind } = node as { readonly kind?: unknown };
  if (kind === 'subquery') return 1;
  if (kind !== 'select') return 0;
  const { groupKeys, items, qualify } = node as d.DuckSelect;
  const hasWindow = items.some(({ value }) => callsWindow(value)) || qualify !== undefined;
  return (groupKeys === undefined ? 0 : 1) + (hasWindow ? 1 : 0);
}

function callsWindow(node: object): boolean {
  if ('over' in node) return true;
  if (d.isQuery(node)) return false;
  return Object.values(node).some(
    (part: unknown) => typeof part === 'object' && part !== null && callsWindow(part),
  );
}

/** Stores the rows of a query, and returns a query that reads them. */
function storedQuery(query: d.DuckQuery, { newName, ctes, stored }: Context): d.DuckQuery {
  const [name, alias] = [newName(), newName()];
  stored.add(name);
  ctes.push({ name, query, evaluation: 'stored' });
  const items = d.columnsOf(alias, namesOf(query));
  return d.selectFrom(items, { kind: 'table', path: [name], alias });
}

/** The names of a query's columns. */
function namesOf({ body }: d.DuckQuery): readonly string[] {
  if (!('kind' in body)) return namesOf(body);
  if (body.kind === 'select') return body.items.map(({ name }) => name);
  const [first] = body.operands;
  return first === undefined ? [] : namesOf(first);
}
