import * as d from '../duckdb-sql.js';
import { collectAliases, collectTables } from '../list-tables.js';
import { listNodes, mapChildren, someChild } from '../map-tree.js';

/** The maximum depth: the engine's planner multiplies its work for a block by at most two to this power. */
const maxDepth = 6;

/**
 * Stores rows that come from many nested aggregations, as in a long chain of CTEs: the engine's planner
 * pushes filters twice into the query below each aggregation or window, so twenty levels take minutes.
 * It plans stored rows separately, if they are CTEs of the statement and not of an inner query.
 * `select … from (<6 aggregations>) t` -> `with rows_1 as materialized (<6 aggregations>) select … from rows_1 t`
 */
export function storeDeepRows(statement: d.DuckQuery): d.DuckQuery {
  const names = new Set(collectAliases(statement));
  for (const node of listNodes(statement)) {
    const named = node.kind === 'query' ? node.ctes : node.kind === 'select' ? node.items : [];
    for (const { name } of named) names.add(name.toLowerCase());
  }
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

/** Measures the nodes below a node. */
function measureBelow<T extends object>(node: T, context: Context): Measured<T> {
  let depth = 0;
  const count = <N>(inner: Measured<N>, more = 0): N => {
    depth = Math.max(depth, inner.depth + more);
    return inner.node;
  };
  const mapped = mapChildren(node, {
    query: (query) => count(measureQuery(query, context)),
    block: (block) => count(measureBelow(block, context), ownDepth(block)),
    from: (from) => count(measureFrom(from, context)),
    expression: (value) =>
      value.kind === 'subquery' ? count(measureSubquery(value, context), 1) : undefined,
  });
  return { node: mapped, depth };
}

function measureFrom(from: d.DuckFrom, context: Context): Measured<d.DuckFrom> {
  if (from.kind === 'table') return { node: from, depth: depthOfRead(from.path, context) };
  const measured = measureBelow(from, context);
  const { node, depth } = measured;
  if (node.kind === 'join' || depth < maxDepth) return measured;
  return { node: { ...node, query: storedQuery(node.query, context) }, depth: 0 };
}

type Subquery = Extract<d.DuckExpression, { kind: 'subquery' }>;

function measureSubquery(node: Subquery, context: Context): Measured<Subquery> {
  const own = collectAliases(node.query);
  // A CTE of the statement cannot read outer rows: the sub-select keeps its CTEs.
  const isCorrelated = [...collectTables(node.query)].some((table) => !own.has(table));
  if (!isCorrelated) return measureBelow(node, context);
  const ctes: d.DuckCte[] = [];
  const { node: mapped, depth } = measureBelow(node, { ...context, ctes });
  return { node: { ...mapped, query: { ...mapped.query, ctes } }, depth };
}

/** Measures a query, and moves its CTEs to `context.ctes`. */
function measureQuery(query: d.DuckQuery, context: Context): Measured<d.DuckQuery> {
  for (const cte of query.ctes) measureCte(cte, context);
  const { ctes: _, ...rest } = query;
  const { node, depth } = measureBelow(rest, context);
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

function depthOfRead([name = '', ...others]: readonly string[], { depths }: Context): number {
  return others.length === 0 ? (depths.get(name) ?? 0) : 0;
}

function ownDepth({ groupKeys, items, qualify }: d.DuckSelect): number {
  const hasWindow = items.some(({ value }) => callsWindow(value)) || qualify !== undefined;
  return (groupKeys === undefined ? 0 : 1) + (hasWindow ? 1 : 0);
}

function callsWindow(node: d.DuckNode): boolean {
  return d.isWindow(node) || (node.kind !== 'query' && someChild(node, callsWindow));
}

/** Stores the rows of a query, and returns a query that reads them. */
function storedQuery(query: d.DuckQuery, { newName, ctes, stored }: Context): d.DuckQuery {
  const [name, alias] = [newName(), newName()];
  stored.add(name);
  ctes.push({ name, query, evaluation: 'stored' });
  const items = d.columnItems(alias, queryColumnNames(query));
  return d.selectFrom(items, { kind: 'table', path: [name], alias });
}

/** The names of a query's columns. */
function queryColumnNames({ body }: d.DuckQuery): readonly string[] {
  if (body.kind === 'query') return queryColumnNames(body);
  if (body.kind === 'select') return body.items.map(({ name }) => name);
  const [first] = body.operands;
  return first === undefined ? [] : queryColumnNames(first);
}
