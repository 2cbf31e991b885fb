import * as bound from '../bound/bound.js';
import { plain } from '../bound/coerce.js';
import { mapExpression } from '../bound/map-expression.js';
import { hasWindow, readsColumns, someExpression } from '../bound/search.js';
import { conjunctionCall } from '../functions/match-call.js';
import { outputItem, rangeItems } from './resolve-star.js';
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
  /** The columns of `ranges` that the block computes from columns of FROM. */
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
  const orderBy = mapKeys(ordered.orderBy, (value) => replaced(value, ids));
  const query = ordered.limit === undefined ? { ...ordered, orderBy: [] } : ordered;
  return { ...table, from: { ...from, query, columns }, orderBy };
}

/** Adds the keys of a query's ORDER BY to its columns. */
function withKeys(query: bound.Query, scope: Scope): bound.Query {
  const { body, columns } = query;
  if (body.kind !== 'select' || body.distinct) return query;
  const ids = new Set(columns.map(({ id }) => id));
  const isOutput = (value: bound.Expression) => value.kind === 'column' && ids.has(value.column.id);
  const { orderBy, added } = columnKeys(query.orderBy, isOutput, scope);
  if (added.length === 0) return query;
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

/** Maps the values of sort keys. */
export function mapKeys(
  keys: readonly bound.Order[],
  map: (value: bound.Expression) => bound.Expression,
): readonly bound.Order[] {
  return keys.map((key) => ({ ...key, value: map(key.value) }));
}

/** Turns sort keys into columns; a key that is not a column yet becomes one of `added`. */
function columnKeys(
  keys: readonly bound.Order[],
  isColumn: (value: bound.Expression) => boolean,
  { statement }: Scope,
): { readonly orderBy: readonly bound.Order[]; readonly added: readonly bound.Item[] } {
  const added: bound.Item[] = [];
  const orderBy = mapKeys(keys, (value) => {
    if (isColumn(value)) return value;
    const column = statement.newColumn('', value.type);
    added.push({ column, value });
    return bound.columnValue(column);
  });
  return { orderBy, added };
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
    const own = mapKeys(table.orderBy, (value) => replaced(value, ids));
    const orderBy = own.length > 0 ? own : query.orderBy;
    return { ...query, orderBy, ...limitAndOffset(table) };
  }
  const items = values.map((named): bound.Item => {
    const computed = computedItem(named.value, table);
    if (computed === undefined) return outputItem(named, place.scope);
    return { column: { ...computed.column, name: named.name }, value: computed.value };
  });
  return pipeBlock({ ...table, isValue: record !== undefined }, items, place.at);
}

/**
 * Whether the values are the unchanged rows of the subquery that the table reads, which then needs no block around it.
 */
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

function computedItem(value: bound.Expression, { computed }: PipeTable): bound.Item | undefined {
  if (value.kind !== 'column') return undefined;
  return computed.find(({ column }) => column.id === value.column.id);
}

function limitAndOffset({ limit, offset }: PipeTable): Pick<bound.Query, 'limit' | 'offset'> {
  return { ...(limit && { limit }), ...(offset && { offset }) };
}

interface OpenBlock extends PipeTable {
  readonly isValue: boolean;
  readonly distinct?: true;
}

/** The query of the block with these items; it computes sort keys that are not among the items. */
function pipeBlock(block: OpenBlock, items: readonly bound.Item[], at: number): bound.Query {
  const { from, qualify, isValue, distinct = false } = block;
  const columns = items.map(({ column }) => column);
  const where = conjunctionCall(block.where, at);
  const body: bound.Select = {
    ...{ kind: 'select', distinct, items, from, columns, isValue },
    ...(where && { where }),
    ...(qualify && { qualify }),
  };
  const orderBy = mapKeys(block.orderBy, (value) => resultKey(value, items, block));
  return { kind: 'query', ctes: [], body, orderBy, ...limitAndOffset(block), columns, isValue, at };
}

/** A key as a column of the result, or as an expression over the columns of FROM. */
function resultKey(
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
  return (
    computed.length > 0 && readsColumns(value, new Set(computed.map(({ column }) => column.id)))
  );
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
  const { orderBy, added } = columnKeys(table.orderBy, ({ kind }) => kind === 'column', scope);
  const keys = added.map((item) => ({ ...item, value: withoutComputed(item.value, table) }));
  const all: PipeTable = { ...table, orderBy, computed: [...table.computed, ...keys] };
  const block = { ...all, ...(table.limit === undefined && { orderBy: [] }) };
  return enclose(block, { inner: liveColumns(all), orderBy }, { scope, at });
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

/** The columns that a subquery returns, and the order of its rows in the outer query. */
interface Returned extends Pick<PipeTable, 'orderBy'> {
  readonly inner: readonly bound.Column[];
}

/** Wraps a block in a subquery; the columns keep their names. */
export function enclose(
  block: Omit<OpenBlock, 'isValue'>,
  { inner, orderBy }: Returned,
  { scope, at }: PipePlace,
): Wrapped {
  const { copyColumn } = scope.statement;
  const items = inner.map((column): bound.Item => {
    const { nullWith: _, ...output } = copyColumn(column);
    const computed = block.computed.find((item) => item.column.id === column.id);
    return { column: output, value: computed?.value ?? bound.columnValue(column) };
  });
  const query = pipeBlock({ ...block, isValue: false }, items, at);
  const columns = query.columns.map((column, index) => {
    const { nullWith, ...copy } = copyColumn(column);
    return { ...copy, name: inner[index]?.name ?? column.name };
  });
  const ids = new Map(inner.map(({ id }, index) => [id, columns[index]]));
  const outer = columns.map((column, index) => nullable(column, inner[index], ids));
  const found = new Map(inner.map(({ id }, index) => [id, outer[index]]));
  const moved = (value: bound.Expression) => replaced(value, found);
  const table: PipeTable = {
    from: { kind: 'derived', query, columns: outer },
    where: [],
    ranges: block.ranges.map((range) => movedRange(range, found)),
    computed: [],
    orderBy: mapKeys(orderBy, moved),
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
