import type * as bound from '../bound/bound.js';
import {
  callNode,
  int64Node,
  queryNode,
  quotedName,
  selectNode,
  word,
} from '../syntax/make-nodes.js';
import type * as tree from '../syntax/tree.js';
import { buildOrder } from './build-call.js';
import { columnPath } from './build-expression.js';
import {
  addRange,
  buildFrom,
  itemColumn,
  oneRow,
  outputName,
  queryColumnNames,
} from './build-from.js';
import type { BuildScope } from './build-scope.js';

/** Builds the syntax tree of a query, whose columns get the names of {@link queryColumnNames}. */
export function buildQuery(query: bound.Query, scope: BuildScope): tree.Query {
  const ctes = query.ctes.map((cte) => buildCte(cte, scope));
  const body = buildBody(query, scope);
  const names = queryColumnNames(query);
  for (const [index, { id }] of query.columns.entries()) {
    scope.columns.set(id, columnPath(names[index] ?? ''));
  }
  const { limit, offset } = query;
  return {
    kind: 'query',
    ctes,
    body,
    orderBy: buildOrder(query.orderBy, scope),
    ...(limit && { limit: scope.build(limit) }),
    ...(offset && { offset: scope.build(offset) }),
    at: 0,
  };
}

/** Builds a CTE. A recursive CTE reads itself, so its name is set before its query is built. */
function buildCte({ id, name, query }: bound.Cte, scope: BuildScope): tree.Cte {
  const own = { name: freeName(name, scope.ctes), columns: queryColumnNames(query) };
  const { body } = query;
  const recursion = body.kind === 'set-operation' ? body.recursion : undefined;
  scope.ctes.set(id, own);
  if (recursion !== undefined) scope.ctes.set(recursion, own);
  return {
    name: quotedName(own.name),
    query: scope.buildQuery(query),
    ...(recursion !== undefined && { isRecursive: true as const }),
    at: 0,
  };
}

/** An unused name for a CTE: a caller's CTE may have the same name as a CTE of the endpoint. */
function freeName(name: string, ctes: BuildScope['ctes']): string {
  const taken = new Set([...ctes.values()].map((other) => other.name.toLowerCase()));
  let free = name;
  for (let n = 2; taken.has(free.toLowerCase()); n += 1) free = `${name}_${n}`;
  return free;
}

function buildBody({ body, orderBy }: bound.Query, scope: BuildScope): tree.QueryBody {
  if (body.kind === 'query') return scope.buildQuery(body);
  if (body.kind === 'set-operation') {
    const { kind, operator, distinct } = body;
    return { kind, operator, distinct, operands: body.operands.map(scope.buildQuery), at: 0 };
  }
  const select = buildSelect(body, scope);
  return orderBy.length === 0 || select.from ? select : { ...select, from: oneRow(scope) };
}

function buildSelect(select: bound.Select, scope: BuildScope): tree.Select {
  const { grouping, having, qualify, distinct } = select;
  const from =
    grouping === undefined ? buildRows(select, scope) : groupedFrom(select, grouping, scope);
  const where = grouping === undefined ? select.where : having;
  return selectNode({
    distinct,
    at: 0,
    ...(from && { from }),
    ...(where && { where: scope.build(where) }),
    items: buildItems(select.items, scope),
    ...(qualify && { qualify: scope.build(qualify) }),
  });
}

/** Builds the FROM of a block, or one row if it has none: without FROM, other clauses are not allowed. */
function buildRows({ from, where, qualify, grouping, distinct }: bound.Select, scope: BuildScope) {
  const hasClause = distinct || [where, qualify, grouping].some((clause) => clause !== undefined);
  return buildFrom(from, scope) ?? (hasClause ? oneRow(scope) : undefined);
}

/**
 * Builds the groups of a block as a table with a column for each key and each aggregate. The block reads that table, so
 * that BigQuery need not recognise any expression as a key.
 */
function groupedFrom(
  select: bound.Select,
  { keys, sets, aggregates }: bound.Grouping,
  scope: BuildScope,
): tree.FromItem {
  const { where } = select;
  const from = buildRows(select, scope);
  const columns = [...keys, ...aggregates];
  const groupBy = { all: false, items: groupItems(keys, sets), at: 0 };
  const body = selectNode({
    at: 0,
    ...(from && { from }),
    ...(where && { where: scope.build(where) }),
    items: columns.length > 0 ? buildItems(columns, scope) : [countOfRows],
    ...(groupBy.items.length > 0 && { groupBy }),
  });
  const range = addRange(columns.map(itemColumn), scope);
  return { kind: 'derived', query: queryNode(body), alias: word(range), at: 0 };
}

/** An item that groups all rows into one. */
const countOfRows: tree.SelectItem = {
  kind: 'item',
  value: callNode('COUNT', [{ kind: 'star', at: 0 }]),
  at: 0,
};

/** Builds the items of GROUP BY, with keys by position. */
function groupItems(
  keys: readonly bound.Item[],
  sets: bound.Grouping['sets'],
): readonly tree.GroupItem[] {
  const key = (index: number) => int64Node(index + 1);
  if (sets === undefined)
    return keys.map((_, index) => ({ kind: 'key', value: key(index), at: 0 }));
  return [{ kind: 'sets', sets: sets.map((set) => set.map(key)), at: 0 }];
}

function buildItems(items: readonly bound.Item[], scope: BuildScope): readonly tree.SelectItem[] {
  return items.map(({ column, value }) => {
    const alias = word(outputName(column));
    return { kind: 'item', value: scope.build(value), alias, at: 0 };
  });
}
