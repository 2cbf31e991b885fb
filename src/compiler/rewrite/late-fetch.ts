import { hasRowIds, rowIdColumns } from '../../types/schema.js';
import { scalar } from '../../types/types.js';
import {
  type BoundCte,
  type BoundExpression,
  type BoundFrom,
  type BoundItem,
  type BoundQuery,
  type BoundRead,
  type BoundSelect,
  type Column,
  columnValue,
} from '../bound/bound.js';
import { mapExpression } from '../bound/map-expression.js';
import type { BoundStep } from '../bound/plan.js';
import { hasWindow, isRepeatable } from '../bound/search.js';
import { dropUnreadCtes } from './drop-unread-ctes.js';
import { countLiteral, type Gathering, gather, isAmong, rowsOf } from './gather.js';
import {
  type GatheredRead,
  gatheredReads,
  isRowWise,
  isTimeOfRecords,
  rowsUsed,
} from './gathered-reads.js';
import { readsMoreWide } from './wide-columns.js';

/** How many rows of the answer are used, and the first id that no column has. */
interface LateFetchOptions {
  readonly maxRows: number;
  readonly nextId: number;
}

/**
 * Plans the one gather of a query in three steps, so that wide columns are read only for the rows in the
 * answer. Undefined if the query has another shape, or if this would save no wide column.
 * `select wide from t where f(t.a) order by t.b limit 9` ->
 * gather `searched`: `select a, b, "row id" from t`;
 * search `matched`: `select b, "row id" from searched where f(a)`;
 * search `found`: `select "row id" from matched where b in (select b from matched order by b limit 9)`;
 * fetch `gathered`: `select wide, a, b from t where "row id" in (select "row id" from found)`
 *
 * All rows are found that are equal to one of the first in the keys of the query: the answer decides between them, by
 * columns that are not searched.
 */
export function lateFetch(
  query: BoundQuery,
  gathering: Gathering,
  { maxRows, nextId }: LateFetchOptions,
): readonly BoundStep[] | undefined {
  const { cte, stored, reads } = gathering;
  const ids = createIds(nextId);
  const [{ read }] = reads;
  const rows = rowsNeeded(query, gathering, maxRows);
  const withIds = withRowIds(cte, ids);
  if (rows === undefined || withIds === undefined) return undefined;
  const columns = [...read.columns, ...ids.ofRead];
  const keys = query.orderBy.filter(({ isTieBreaker }) => !isTieBreaker);
  if (keys.length === 0) return undefined;
  const own = { ...query, orderBy: keys };
  const search = searchOf(own, { read: { ...read, cte: withIds, columns }, rows, ids });
  if (!readsMoreWide(own, search, read.columns)) return undefined;
  const tables = tablesOf(cte);
  const gathered = { cte: withIds, stored, reads: readsIn(search, withIds) };
  const fetched = { cte: withIds, stored };
  const matched = matchedBy(overTable(search, tables.searched), ids);
  const found = { matched, table: tables.matched, isTime: isByTime(search, read), ids };
  return [
    { table: tables.searched, kind: 'gather', query: gather(gathered, ids.next) },
    { table: tables.matched, kind: 'search', query: allOfSearch(matched) },
    { table: tables.found, kind: 'search', query: firstOf(found, rows) },
    {
      table: tables.gathered,
      kind: 'fetch',
      query: rowsOf(fetched, columns, {
        columns: read.columns,
        where: isFound(tables.found, ids),
      }),
    },
  ];
}

function tablesOf({ name }: BoundCte) {
  return {
    searched: `searched/${name}`,
    matched: `matched/${name}`,
    found: `found/${name}`,
    gathered: `gathered/${name}`,
  };
}

/** The search with its keys as columns, before its row ids, in their order. */
function matchedBy(search: SelectQuery, { found, next }: RowIds): SelectQuery {
  const keys = search.orderBy.map(({ value }, index): BoundItem => {
    const name = `key ${index + 1}`;
    return { column: { id: next + index, name, type: value.type, isLogField: false }, value };
  });
  const columns = [...keys.map(({ column }) => column), ...found];
  const orderBy = search.orderBy.map((key, index) => {
    const column = columns[index];
    return column === undefined ? key : { ...key, value: columnValue(column) };
  });
  const items = [...keys, ...search.body.items];
  return { ...search, body: { ...search.body, items, columns }, columns, orderBy };
}

function allOfSearch({ limit: _, ...search }: SelectQuery): BoundQuery {
  return { ...search, orderBy: [] };
}

/** Whether a search is ordered by the time of records alone, which is never NULL. */
function isByTime({ orderBy: [key, ...others] }: BoundQuery, read: BoundRead): boolean {
  if (key?.value.kind !== 'column' || others.length > 0) return false;
  const { id } = key.value.column;
  const time = read.columns.find((column) => column.id === id);
  return time !== undefined && isTimeOfRecords(read, time);
}

interface Matched {
  readonly matched: SelectQuery;
  /** The table of its rows. */
  readonly table: string;
  readonly isTime: boolean;
  readonly ids: RowIds;
}

/** The row ids of the first rows, and of all that have the same keys as one of them. */
function firstOf({ matched, table, isTime, ids }: Matched, rows: number): BoundQuery {
  const { columns, orderBy } = matched;
  const again = columns.map((column, index) => ({
    ...column,
    id: ids.next + columns.length + index,
  }));
  const keysOf = (all: readonly Column[]) => {
    const keys = orderBy.map((_, index) => all[index]).filter((key) => key !== undefined);
    const [time] = keys;
    // A struct equals another one with the same fields, even if they are NULL.
    return isTime && time ? columnValue(time) : structOf(keys.map(columnValue));
  };
  const first = orderBy.map((key, index) => {
    const column = again[index];
    return column === undefined ? key : { ...key, value: columnValue(column) };
  });
  const inner = selectFrom(table, again, [keysOf(again)]);
  const among = isAmong(keysOf(columns), { ...inner, orderBy: first, limit: countLiteral(rows) });
  const found = selectFrom(table, columns, ids.found.map(columnValue));
  return { ...found, body: { ...found.body, where: among } };
}

function structOf(values: readonly BoundExpression[]): BoundExpression {
  const fields = values.map(({ type }, index) => ({ name: `k${index + 1}`, type, stored: true }));
  return { kind: 'struct', values, type: { kind: 'STRUCT', fields } };
}

/** The columns of row ids at each level of the query. */
interface RowIds {
  readonly ofSource: readonly Column[];
  readonly ofCte: readonly Column[];
  readonly ofRead: readonly Column[];
  readonly found: readonly Column[];
  /** The first id that no column has. */
  readonly next: number;
}

function createIds(nextId: number): RowIds {
  const at = (level: number): readonly Column[] =>
    rowIdColumns.map((name, index) => {
      const id = nextId + level * rowIdColumns.length + index;
      return { id, name, type: scalar('INT64'), isLogField: false };
    });
  const next = nextId + 4 * rowIdColumns.length;
  return { ofSource: at(0), ofCte: at(1), ofRead: at(2), found: at(3), next };
}

/** How many first rows of its one table a query needs; undefined for a query of another shape. */
function rowsNeeded(query: BoundQuery, { reads }: Gathering, maxRows: number): number | undefined {
  const { body, orderBy } = query;
  const [{ read, top }, ...others] = reads;
  if (others.length > 0 || top !== undefined || body.kind !== 'select') return undefined;
  if (!isRowWise(body) || tableOf(body.from)?.cte.id !== read.cte.id) return undefined;
  if ([...body.items, ...orderBy].some(({ value }) => hasWindow(value)) || !isRepeatable(query)) {
    return undefined;
  }
  return rowsUsed(query, maxRows);
}

/** The one table of FROM, besides the arrays that it unnests; undefined if it joins tables. */
function tableOf(from: BoundFrom): BoundRead | undefined {
  if (from.kind === 'unnest') return tableOf(from.left);
  return from.kind === 'cte' ? from : undefined;
}

/** A CTE with the row ids of its source; undefined if its rows are not rows of one source. */
function withRowIds(cte: BoundCte, ids: RowIds): BoundCte | undefined {
  const { query } = cte;
  const { body } = query;
  if (body.kind !== 'select' || body.from.kind !== 'source') return undefined;
  const { source, columns } = body.from;
  const isChanged = [query.limit, query.offset, body.grouping, body.qualify].some(
    (clause) => clause !== undefined,
  );
  if (isChanged || body.distinct || !hasRowIds(source)) return undefined;
  // It is read twice, the second time part by part: each row must be the same both times.
  if (body.items.some(({ value }) => hasWindow(value)) || !isRepeatable(query)) return undefined;
  const fields = rowIdColumns.map((name) => ({ name, type: scalar('INT64'), stored: true }));
  const withIds: BoundSelect = {
    ...body,
    from: {
      kind: 'source',
      source: { ...source, columns: [...source.columns, ...fields] },
      columns: [...columns, ...ids.ofSource],
    },
    items: [...body.items, ...pair(ids.ofCte, ids.ofSource)],
    columns: [...body.columns, ...ids.ofCte],
  };
  return { ...cte, query: { ...query, body: withIds, columns: withIds.columns } };
}

function pair(columns: readonly Column[], values: readonly Column[]): readonly BoundItem[] {
  return columns.map((column, index) => {
    return { column, value: columnValue(values[index] ?? column) };
  });
}

/** A query that is one block. */
type SelectQuery = BoundQuery & { readonly body: BoundSelect };

function asSelect(query: BoundQuery): SelectQuery {
  const { body } = query;
  if (body.kind !== 'select') throw new Error('a search is one block');
  return { ...query, body };
}

interface Search {
  readonly read: BoundRead;
  readonly rows: number;
  readonly ids: RowIds;
}

/** The caller's query with only the row ids of its first rows in the SELECT list. */
function searchOf(query: BoundQuery, { read, rows, ids }: Search): SelectQuery {
  const { offset: _, ...rest } = query;
  const { body } = query;
  if (body.kind !== 'select') throw new Error('a search is one block');
  const values = new Map(body.items.map(({ column, value }) => [column.id, value]));
  const itemValue = (node: BoundExpression) =>
    node.kind === 'column' ? values.get(node.column.id) : undefined;
  const orderBy = query.orderBy.map((key) => {
    return { ...key, value: mapExpression(key.value, itemValue) };
  });
  const from = withTable(body.from, read);
  const found = { ...body, from, items: pair(ids.found, ids.ofRead), columns: ids.found };
  const search = { ...rest, body: found, orderBy, columns: ids.found, isValue: false };
  return asSelect(dropUnreadCtes({ ...search, limit: countLiteral(rows) }));
}

/** FROM with its one table replaced. */
function withTable(from: BoundFrom, table: BoundFrom): BoundFrom {
  return from.kind === 'unnest' ? { ...from, left: withTable(from.left, table) } : table;
}

function readsIn(search: BoundQuery, { id }: BoundCte): Gathering['reads'] {
  const maxRows = Number.POSITIVE_INFINITY;
  const reads = gatheredReads(search, { isGathered: (cte) => cte === id, maxRows }).get(id);
  const [first, ...others]: readonly GatheredRead[] = reads ?? [];
  if (first === undefined) throw new Error('a search reads its table');
  return [first, ...others];
}

function overTable(search: SelectQuery, table: string): SelectQuery {
  const { body } = search;
  const read = tableOf(body.from);
  const from = withTable(body.from, { kind: 'table', table, columns: read?.columns ?? [] });
  return { ...search, body: { ...body, from } };
}

/** `"row id" in (select "row id" from temp.found)`; the parts of a source each have rows of their own. */
function isFound(table: string, ids: RowIds): BoundExpression {
  const [rowId] = ids.ofRead;
  const [foundId] = ids.found;
  if (rowId === undefined || foundId === undefined) throw new Error('a row has two ids');
  return isAmong(columnValue(rowId), selectFrom(table, ids.found, [columnValue(foundId)]));
}

/** `select values from temp.table` */
function selectFrom(
  table: string,
  columns: readonly Column[],
  values: readonly BoundExpression[],
): SelectQuery {
  const free = Math.max(...columns.map(({ id }) => id)) + 1;
  const items = values.map((value, index): BoundItem => {
    if (value.kind === 'column') return { column: value.column, value };
    const { type } = value;
    return { column: { id: free + index, name: `value ${index}`, type, isLogField: false }, value };
  });
  const own = items.map(({ column }) => column);
  const from = { kind: 'table', table, columns } as const;
  return {
    kind: 'query',
    ctes: [],
    body: { kind: 'select', distinct: false, items, from, columns: own, isValue: false },
    orderBy: [],
    columns: own,
    isValue: false,
    at: 0,
  };
}
