import { shortName } from '../../errors/errors.js';
import { QueryFault } from '../../errors/query-fault.js';
import * as bound from '../bound/bound.js';
import { notGroupable, orderKey } from '../bound/comparable.js';
import { hasWindow } from '../bound/search.js';
import { callsWindow } from '../syntax/parse-pipe-aggregate.js';
import type { Pipeline, PipeOperator, Select } from '../syntax/tree.js';
import { changeColumn, columnFor, columnsFor } from './pipe-columns.js';
import { shownColumns, withShown } from './pipe-ranges.js';
import {
  enclose,
  isClosed,
  mapKeys,
  openTable,
  type PipePlace,
  type PipeTable,
  pipeColumns,
  pipeQuery,
  pipeRecord,
  readsPipeColumn,
  withoutComputed,
  wrap,
} from './pipe-table.js';
import { resolveCondition, resolveCount } from './resolve-clause.js';
import { resolveCtes } from './resolve-ctes.js';
import { resolveExpression } from './resolve-expression.js';
import { derivedFrom, joinTo, resolveFrom } from './resolve-from.js';
import { keyItem } from './resolve-grouping.js';
import { resolvePipeAggregate } from './resolve-pipe-aggregate.js';
import { namedWindows, resolveSelectList } from './resolve-select.js';
import { combineOperands } from './resolve-set-operation.js';
import { type Range, type Scope, scopeAround } from './scope.js';

/**
 * Resolves pipe syntax operator by operator. Aliases of tables stay visible until an operator makes a new
 * table (SELECT, AGGREGATE, AS, PIVOT and set operators); rows stay ordered until an operator loses the order.
 * @throws QueryFault for any error in an operator
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/pipe-syntax
 */
export function resolvePipeline(
  { input, operators, at }: Pipeline,
  before: readonly bound.Cte[],
  around: Scope,
): bound.Query {
  let scope = around;
  let ctes = before;
  let table = openTable(resolveFrom(input, scope), { scope, at });
  for (const operator of operators) {
    if (operator.kind === 'pipe-with') {
      const own = resolveCtes(operator.ctes, scope, ctes);
      ctes = [...ctes, ...own];
      scope = { ...scope, ctes: [...scope.ctes, ...own] };
    } else table = apply(operator, table, scope);
  }
  return { ...pipeQuery(table, { scope, at }), ctes, at };
}

type Operator = Exclude<PipeOperator, { readonly kind: 'pipe-with' }>;

type Apply<K extends Operator['kind']> = (
  operator: Operator & { readonly kind: K },
  table: PipeTable,
  place: PipePlace,
) => PipeTable;

function apply<K extends Operator['kind']>(
  operator: Operator & { readonly kind: K },
  table: PipeTable,
  scope: Scope,
): PipeTable {
  return appliers[operator.kind](operator, table, { scope, at: operator.at });
}

/** The scope of an expression in a pipe operator. */
function operatorScope({ ranges }: PipeTable, { scope }: PipePlace, clause: string): Scope {
  return { ...scope, ranges, clause };
}

/** The filter of a block runs before its window functions and LIMIT, and cannot read its computed columns. */
const applyWhere: Apply<'pipe-where'> = ({ where: node }, table, place) => {
  if (callsWindow(node)) {
    const open = table.computed.length > 0 || isClosed(table) ? wrap(table, place).table : table;
    const scope = { ...operatorScope(open, place, 'WHERE operator'), windows: new Map() };
    return wrap({ ...open, qualify: resolveCondition(node, scope) }, place).table;
  }
  const condition = resolveCondition(node, operatorScope(table, place, 'WHERE clause'));
  if (!isClosed(table) && !readsPipeColumn(condition, table)) {
    return { ...table, where: [...table.where, condition] };
  }
  const wrapped = wrap(table, place);
  return { ...wrapped.table, where: [wrapped.moved(condition)] };
};

/** Resolves the items of a list over the table; wraps the table in a subquery if its block cannot compute them. */
function compute(
  list: Pick<Select, 'items' | 'windows' | 'at'> & Partial<Pick<Select, 'as' | 'distinct'>>,
  table: PipeTable,
  place: PipePlace,
): { readonly table: PipeTable; readonly items: readonly bound.Item[] } {
  const clause = 'this operator: use |> AGGREGATE';
  const scope = { ...operatorScope(table, place, clause), windows: namedWindows(list.windows) };
  const items = resolveSelectList({ distinct: false, ...list }, scope);
  const comesLater = list.distinct === true || items.some(({ value }) => hasWindow(value));
  const reads = items.some(({ value }) => readsPipeColumn(value, table));
  if (!reads && !(comesLater && table.limit !== undefined)) return { table, items };
  const { table: open, moved } = wrap(table, place);
  return { table: open, items: items.map((item) => ({ ...item, value: moved(item.value) })) };
}

const applySelect: Apply<'pipe-select'> = (node, before, place) => {
  const { table, items } = compute(node, before, place);
  const columns = items.map(({ column }) => column);
  const [element] = columns;
  const range: Range =
    node.as !== undefined && element !== undefined ? { columns: [], element } : { columns };
  const orderBy = mapKeys(table.orderBy, (value) => withoutComputed(value, table));
  const selected = { ...table, computed: items, ranges: [range], orderBy };
  return node.distinct ? applyDistinct(selected, place) : selected;
};

const applyExtend: Apply<'pipe-extend'> = (node, before, place) => {
  const { table, items } = compute(node, before, place);
  const range = { columns: items.map(({ column }) => column) };
  return { ...table, computed: [...table.computed, ...items], ranges: [...table.ranges, range] };
};

const applySet: Apply<'pipe-set'> = ({ items: nodes, at }, input, place) => {
  const before = nodes.map(({ alias }) => columnFor(alias, input.ranges));
  const { table, items } = compute({ items: nodes, windows: [], at }, input, place);
  const changes = before.map((column, index) => {
    const set = items[index]?.column;
    return { ...column, ...(set && { to: { name: column.name, value: bound.columnValue(set) } }) };
  });
  const ranges = changes.reduce(changeColumn, table.ranges);
  return { ...table, computed: [...table.computed, ...items], ranges };
};

const applyAs: Apply<'pipe-as'> = ({ alias: { name } }, before, place) => {
  const record = pipeRecord(before);
  if (record !== undefined) return { ...before, ranges: [{ name, columns: [], element: record }] };
  const table = withShown(before, () => true, place);
  return { ...table, ranges: [{ name, columns: table.ranges.flatMap(shownColumns) }] };
};

/** Applies DISTINCT, which loses the order. Aliases keep the columns that are left. */
function applyDistinct(before: PipeTable, place: PipePlace): PipeTable {
  const open = before.limit === undefined ? before : wrap(before, place).table;
  const table = withShown(open, ({ changed }) => changed !== undefined, place);
  const inner = table.ranges.flatMap(shownColumns);
  for (const { name, type } of inner) {
    const part = notGroupable(type);
    if (part === undefined) continue;
    const message = `Column ${shortName(name)} of type ${part} cannot be used in DISTINCT`;
    throw new QueryFault(message, place.at);
  }
  const block = { ...table, orderBy: [], distinct: true } as const;
  return enclose(block, { inner, orderBy: [] }, place).table;
}

const applyOrderBy: Apply<'pipe-order-by'> = ({ orderBy }, before, place) => {
  const isOver = before.limit !== undefined || (callsWindow(orderBy) && before.computed.length > 0);
  const table = isOver ? wrap(before, place).table : before;
  const columns = pipeColumns(table);
  const scope = { ...operatorScope(table, place, 'ORDER BY operator'), windows: new Map() };
  const keys = orderBy.map((item) => {
    // A key may be the number of a column.
    const column = keyItem(item.value, columns, 'ORDER BY');
    return orderKey(item, column?.value ?? resolveExpression(item.value, scope));
  });
  return { ...table, orderBy: keys };
};

/** The filter before a join can run after it, except for RIGHT and FULL joins, which must read filtered rows. */
const applyJoin: Apply<'pipe-join'> = (join, before, place) => {
  const addsRows = join.type === 'RIGHT' || join.type === 'FULL';
  const isOpen = before.computed.length === 0 && before.limit === undefined;
  const canWait = before.where.length === 0 || !addsRows;
  const table = isOpen && canWait ? before : wrap(before, place).table;
  const { from, ranges } = joinTo(join, table, place.scope);
  return { ...table, from, ranges, orderBy: [] };
};

const applySetOperation: Apply<'pipe-set-operation'> = (node, table, place) => {
  const { scope, at } = place;
  const { resolveQuery, newColumn } = scope.statement;
  const queries = node.operands.map((query) => resolveQuery(query, scopeAround(scope)));
  const operands = [pipeQuery(table, place), ...queries];
  // The table before the operator has no position in the text, so messages about it use that of the first operand.
  const nodes = [...node.operands.slice(0, 1), ...node.operands];
  const operation = { ...node, kind: 'set-operation', operands: nodes } as const;
  const body = combineOperands(operation, operands, newColumn);
  const isValue = operands.every((operand) => operand.isValue);
  return openQuery(bound.bareQuery(body, isValue, at), undefined, place);
};

/** The table that reads a query, under `name`, if given. */
function openQuery(query: bound.Query, name: string | undefined, place: PipePlace): PipeTable {
  return openTable(derivedFrom(query, name, place.scope), place);
}

/** Applies PIVOT, which reads a single table with its original columns; any other input becomes a subquery first. */
const applyPivot: Apply<'pipe-pivot'> = ({ pivot }, before, place) => {
  const [range, other] = before.ranges;
  const isPlain = range?.element === undefined && range?.changed === undefined && !other;
  const isOpen = before.computed.length === 0 && before.limit === undefined;
  const alias = other === undefined ? range?.name : undefined;
  const piped = isPlain && isOpen ? before : openQuery(pipeQuery(before, place), alias, place);
  return openTable(resolveFrom(pivot, { ...place.scope, piped }), place);
};

const appliers: { readonly [K in Operator['kind']]: Apply<K> } = {
  'pipe-where': applyWhere,
  'pipe-select': applySelect,
  'pipe-extend': applyExtend,
  'pipe-set': applySet,
  'pipe-drop': ({ columns, at }, table) => {
    const dropped = columns.flatMap((name) => columnsFor(name, table.ranges));
    const ranges = dropped.reduce(changeColumn, table.ranges);
    if (pipeColumns({ ranges }).length > 0) return { ...table, ranges };
    throw new QueryFault('|> DROP removes all columns: keep at least one', at);
  },
  'pipe-rename': ({ columns }, table) => {
    const renamed = columns.map(({ column: name, alias }) => {
      const column = columnFor(name, table.ranges);
      return { ...column, to: { name: alias.name, value: column.value } };
    });
    return { ...table, ranges: renamed.reduce(changeColumn, table.ranges) };
  },
  'pipe-as': applyAs,
  'pipe-aggregate': (operator, table, place) => {
    const open = table.computed.length > 0 || isClosed(table) ? wrap(table, place).table : table;
    const scope = { ...place.scope, piped: open };
    return openQuery(resolvePipeAggregate(operator, scope), undefined, place);
  },
  'pipe-distinct': (_, table, place) => applyDistinct(table, place),
  'pipe-order-by': applyOrderBy,
  'pipe-limit': ({ limit, offset }, table, place) => {
    const open = table.limit === undefined ? table : wrap(table, place).table;
    const skipped = offset && { offset: resolveCount(offset, place.scope) };
    return { ...open, limit: resolveCount(limit, place.scope), ...skipped };
  },
  'pipe-join': applyJoin,
  'pipe-set-operation': applySetOperation,
  'pipe-pivot': applyPivot,
};
