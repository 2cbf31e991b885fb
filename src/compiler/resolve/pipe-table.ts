import * as bound from '../bound/bound.js';
import { plain } from '../bound/coerce.js';
import { mapExpression } from '../bound/map-expression.js';
import { hasWindow, someExpression } from '../bound/search.js';
import { conjunctionCall } from '../functions/match-call.js';
import { outputItem } from './output-item.js';
import { rangeItems } from './resolve-star.js';
import { mapChanged, type NamedValue, type Range, type ResolvedFrom, type Scope } from './scope.js';

/**
 * The table between two pipe operators: a SELECT block that is still open. An operator adds to the block
 * if that keeps the meaning of the block, and otherwise wraps the block in a subquery first.
 */
export interface PipeTable {
  readonly from: bound.From;
  readonly where: readonly bound.Expression[];
  /** The names that the next operator sees: its columns, and the aliases of tables. */
  readonly ranges: readonly Range[];
  /** Columns of the ranges that the block computes from the columns of FROM. */
  readonly computed: readonly bound.Item[];
  /** The order of the rows, by columns of FROM or computed ones. */
  readonly orderBy: readonly bound.Order[];
  readonly limit?: bound.Expression;
  readonly offset?: bound.Expression;
  /** A condition that calls window functions. */
  readonly qualify?: bound.Expression;
}

/** The scope of the whole query, and the offset of the operator. */
export interface PipePlace {
  readonly scope: Scope;
  readonly at: number;
}

/** The table of a FROM clause; if it reads only a subquery, it keeps the subquery's order. */
export function openTable(resolved: ResolvedFrom, { scope }: PipePlace): PipeTable {
  const { from, ranges, where = [] } = resolved;
  const table: PipeTable = { from, ranges, where, computed: [], orderBy: [] };
  if (from.kind !== 'derived' || from.query.orderBy.length === 0) return table;
  const ordered = withKeys(from.query, scope);
  const extra = ordered.columns.slice(from.columns.length).map(scope.statement.copyColumn);
  const columns = [...from.columns, ...extra];
  const ids = new Map(ordered.columns.map(({ id }, index) => [id, columns[index]]));
  const orderBy = ordered.orderBy.map((key) => ({ ...key, value: replaced(key.value, ids) }));
  const query = ordered.limit === undefined ? { ...ordered, orderBy: [] } : ordered;
  return { ...table, from: { ...from, query, columns }, orderBy };
}

/** Adds the keys of a query's ORDER BY to its columns. */
function withKeys(query: bound.Query, { statement }: Scope): bound.Query {
  const { body, columns } = query;
  if (body.kind !== 'select' || body.distinct) return query;
  const ids = new Set(columns.map(({ id }) => id));
  const isOutput = ({ value }: bound.Order) => value.kind === 'column' && ids.has(value.column.id);
  const added = query.orderBy
    .filter((key) => !isOutput(key))
    .map(({ value }) => ({ column: statement.newColumn('', value.type), value }));
  if (added.length === 0) return query;
  const keys = new Map(added.map((item) => [item.value, item.column]));
  const orderBy = query.orderBy.map((key) => {
    const column = keys.get(key.value);
    return column === undefined ? key : { ...key, value: bound.columnValue(column) };
  });
  const all = [...columns, ...added.map(({ column }) => column)];
  const select = { ...body, items: [...body.items, ...added], columns: all };
  return { ...query, body: select, orderBy, columns: all };
}

/** The columns of a table by name, as `*` selects them. */
export function pipeColumns({ ranges }: Pick<PipeTable, 'ranges'>): readonly NamedValue[] {
  return ranges.flatMap((range) => rangeItems(range, 0));
}

/** The column of a table whose rows are single records, as after SELECT AS STRUCT; undefined for other tables. */
export function pipeRecord({ ranges }: Pick<PipeTable, 'ranges'>): bound.Column | undefined {
  const [range] = ranges;
  const isAlone = ranges.length === 1 && range?.columns.length === 0;
  const { element } = range ?? {};
  return isAlone && range?.changed === undefined && element?.type.kind === 'STRUCT'
    ? element
    : undefined;
}

/** The query that returns the table's rows. */
export function pipeQuery(table: PipeTable, place: PipePlace): bound.Query {
  const { query, columns = [] } = table.from.kind === 'derived' ? table.from : {};
  const record = pipeRecord(table);
  const values =
    record === undefined
      ? pipeColumns(table)
      : [{ name: record.name, value: bound.columnValue(record) }];
  if (query !== undefined && isWhole(table, values, columns)) {
    const ids = new Map(columns.map(({ id }, index) => [id, query.columns[index]]));
    const own = table.orderBy.map((key) => ({ ...key, value: replaced(key.value, ids) }));
    const orderBy = own.length > 0 ? own : query.orderBy;
    return { ...query, orderBy, ...countsOf(table) };
  }
  const items = values.map((named): bound.Item => {
    const computed = computedOf(named.value, table);
    if (computed === undefined) return outputItem(named, place.scope);
    return { column: { ...computed.column, name: named.name }, value: computed.value };
  });
  return pipeBlock({ ...table, isValue: record !== undefined }, items, place.at);
}

/** Whether the values are the unchanged rows of the subquery that the table reads, which then needs no block around it. */
function isWhole(
  { from, where, computed, orderBy }: PipeTable,
  values: readonly NamedValue[],
  columns: readonly bound.Column[],
): boolean {
  if (from.kind !== 'derived' || where.length > 0 || computed.length > 0) return false;
  const { ctes, limit, offset } = from.query;
  if (orderBy.some(({ value }) => value.kind !== 'column')) return false;
  if (ctes.length > 0 || limit !== undefined || offset !== undefined) return false;
  const isSame = ({ name, value }: NamedValue, index: number) => {
    const column = columns[index];
    return value.kind === 'column' && value.column.id === column?.id && name === column.name;
  };
  return values.length === columns.length && values.every(isSame);
}

function computedOf(value: bound.Expression, { computed }: PipeTable): bound.Item | undefined {
  if (value.kind !== 'column') return undefined;
  return computed.find(({ column }) => column.id === value.column.id);
}

function countsOf({ limit, offset }: PipeTable): Pick<bound.Query, 'limit' | 'offset'> {
  return { ...(limit && { limit }), ...(offset && { offset }) };
}

interface OpenBlock extends PipeTable {
  readonly isValue: boolean;
  readonly distinct?: true;
}

/** The query of the block with these items; it computes sort keys that are not among the items. */
export function pipeBlock(block: OpenBlock, items: readonly bound.Item[], at: number): bound.Query {
  const { from, qualify, isValue, distinct = false } = block;
  const columns = items.map(({ column }) => column);
  const where = conjunctionCall(block.where, at);
  const body: bound.Select = {
    ...{ kind: 'select', distinct, items, from, columns, isValue },
    ...(where && { where }),
    ...(qualify && { qualify }),
  };
  const orderBy = block.orderBy.map((key) => ({ ...key, value: keyOf(key.value, items, block) }));
  return { kind: 'query', ctes: [], body, orderBy, ...countsOf(block), columns, isValue, at };
}

/** A key as a column of the result, or as an expression over the columns of FROM. */
function keyOf(
  value: bound.Expression,
  items: readonly bound.Item[],
  table: PipeTable,
): bound.Expression {
  const id = value.kind === 'column' ? value.column.id : undefined;
  const output = items.find(
    (item) =>
      item.column.id === id || (item.value.kind === 'column' && item.value.column.id === id),
  );
  return id !== undefined && output !== undefined
    ? bound.columnValue(output.column)
    : plain(withoutComputed(value, table));
}

/** Replaces the computed columns in a value by their expressions. */
export function withoutComputed(
  value: bound.Expression,
  { computed }: PipeTable,
): bound.Expression {
  if (computed.length === 0) return value;
  const values = new Map(computed.map((item) => [item.column.id, item.value]));
  return mapExpression(value, (part) =>
    part.kind === 'column' ? values.get(part.column.id) : undefined,
  );
}

/** Whether a value reads a column that the block computes. */
export function readsPipeColumn(value: bound.Expression, { computed }: PipeTable): boolean {
  if (computed.length === 0) return false;
  const ids = new Set(computed.map(({ column }) => column.id));
  return someExpression(value, (part) => part.kind === 'column' && ids.has(part.column.id));
}

/** Whether the block cannot take a filter, because the filter would run before its LIMIT and window functions. */
export function isClosed({ computed, limit }: PipeTable): boolean {
  return limit !== undefined || computed.some(({ value }) => hasWindow(value));
}

/** A table, and the function that rewrites values over the previous table to use its columns. */
export interface Wrapped {
  readonly table: PipeTable;
  readonly moved: (value: bound.Expression) => bound.Expression;
}

/** Wraps the block in a subquery, keeping all names and the order. */
export function wrap(table: PipeTable, { scope, at }: PipePlace): Wrapped {
  const { copyColumn, newColumn } = scope.statement;
  const keys = new Map(
    table.orderBy
      .filter(({ value }) => value.kind !== 'column')
      .map(({ value }) => [value, newColumn('', value.type)]),
  );
  const orderBy = table.orderBy.map((key) => {
    const column = keys.get(key.value);
    return column === undefined ? key : { ...key, value: bound.columnValue(column) };
  });
  const added = [...keys].map(([value, column]): bound.Item => {
    return { column, value: withoutComputed(value, table) };
  });
  const all: PipeTable = { ...table, orderBy, computed: [...table.computed, ...added] };
  const inner = liveColumns(all);
  const items = inner.map((column): bound.Item => {
    const { nullWith: _, ...output } = copyColumn(column);
    const computed = all.computed.find((item) => item.column.id === column.id);
    return { column: output, value: computed?.value ?? bound.columnValue(column) };
  });
  const isLimited = table.limit !== undefined;
  const query = pipeBlock(
    { ...all, isValue: false, ...(isLimited ? {} : { orderBy: [] }) },
    items,
    at,
  );
  return over(query, { inner, ranges: table.ranges, orderBy }, scope);
}

/** The columns that the ranges and the order of a table need, without duplicates. */
function liveColumns({ ranges, orderBy }: PipeTable): readonly bound.Column[] {
  const columns = new Map<number, bound.Column>();
  const note = (column: bound.Column) => {
    columns.set(column.id, column);
    if (column.nullWith !== undefined) columns.set(column.nullWith.id, column.nullWith);
  };
  const noteAll = (value: bound.Expression) =>
    someExpression(value, (part) => {
      if (part.kind === 'column') note(part.column);
      return false;
    });
  for (const range of ranges) {
    if (range.element !== undefined) note(range.element);
    for (const column of range.columns) note(column);
    for (const item of range.changed?.values() ?? []) if (item) noteAll(item.value);
  }
  for (const { value } of orderBy) noteAll(value);
  return [...columns.values()];
}

/** The output of a subquery: columns of a table, its names and its order. */
export interface Inside extends Pick<PipeTable, 'ranges' | 'orderBy'> {
  /** The inside column for each of the query's columns. */
  readonly inner: readonly bound.Column[];
}

/** The table that reads a query, with the names that the columns have inside. */
export function over(
  query: bound.Query,
  { inner, ranges, orderBy }: Inside,
  scope: Scope,
): Wrapped {
  const columns = query.columns.map((column, index) => {
    const { nullWith, ...copy } = scope.statement.copyColumn(column);
    return { ...copy, name: inner[index]?.name ?? column.name };
  });
  const ids = new Map(inner.map(({ id }, index) => [id, columns[index]]));
  const outer = columns.map((column, index) => nullable(column, inner[index], ids));
  const found = new Map(inner.map(({ id }, index) => [id, outer[index]]));
  const moved = (value: bound.Expression) => replaced(value, found);
  const table: PipeTable = {
    from: { kind: 'derived', query, columns: outer },
    where: [],
    ranges: ranges.map((range) => movedRange(range, found)),
    computed: [],
    orderBy: orderBy.map((key) => ({ ...key, value: moved(key.value) })),
  };
  return { table, moved };
}

/** Sets `nullWith`: a record may be NULL because an outer join in the query found no match. */
function nullable(
  column: bound.Column,
  inner: bound.Column | undefined,
  ids: ReadonlyMap<number, bound.Column | undefined>,
): bound.Column {
  const nullWith =
    column.type.kind === 'STRUCT' ? column : inner?.nullWith && ids.get(inner.nullWith.id);
  return nullWith === undefined ? column : { ...column, nullWith };
}

function movedRange(range: Range, ids: ReadonlyMap<number, bound.Column | undefined>): Range {
  const { element, changed, ...rest } = range;
  const move = (column: bound.Column) => {
    const found = ids.get(column.id);
    return found === undefined ? [] : [{ ...found, name: column.name }];
  };
  const [moved] = element === undefined ? [] : move(element);
  return {
    ...rest,
    columns: range.columns.flatMap(move),
    ...(moved && { element: moved }),
    ...(changed && { changed: mapChanged(changed, (value) => replaced(value, ids)) }),
  };
}

function replaced(
  value: bound.Expression,
  ids: ReadonlyMap<number, bound.Column | undefined>,
): bound.Expression {
  return mapExpression(value, (part) => {
    const column = part.kind === 'column' ? ids.get(part.column.id) : undefined;
    return column && bound.columnValue(column);
  });
}
