import { hasRowIds, rowIdColumns } from '../../types/schema.js';
import { scalar } from '../../types/types.js';
import * as bound from '../bound/bound.js';
import { isRecordTime, rowsUsed, shownValue } from '../bound/first-rows.js';
import { mapExpression } from '../bound/map-expression.js';
import type { BoundStep } from '../bound/plan.js';
import { hasWindow, isRepeatable } from '../bound/search.js';
import { dropUnreadCtes } from './drop-unread-ctes.js';
import { countLiteral, cteRows, type Gathering, gather } from './gather.js';
import { type GatheredRead, gatheredReads, isRowWise, keptRead } from './gathered-reads.js';

/** The maximum number of rows that the answer needs, and the first unused id. */
interface LateFetchOptions {
  readonly maxRows: number;
  readonly nextId: number;
}

/**
 * Plans the only gather of a query in three steps, so that wide columns are read only for the rows in the
 * answer. Returns undefined if the query has another form.
 * `select wide from t where f(t.a) order by t.b limit 9` ->
 * gather `searched`: `select a, b, "row id" from t`;
 * search `found`: `select "row id" from searched where f(a) order by b limit 9`, with ties;
 * fetch `gathered`: `select wide, a, b from t where "row id" in (select "row id" from found)`
 *
 * The search also finds all rows whose keys equal those of one of the first rows: the answer orders them by columns
 * that the search does not read.
 */
export function lateFetch(
  query: bound.Query,
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
  const keys = searchKeys(query);
  if (keys.length === 0) return undefined;
  const search = rowIdSearch(
    { ...query, orderBy: keys },
    { read: { ...read, cte: withIds, columns }, rows, ids },
  );
  const gathered = { cte: withIds, stored, reads: readsIn(search, withIds) };
  const [key, ...others] = search.orderBy;
  const isByTime = others.length === 0 && key !== undefined && isRecordTime(key.value, read);
  const withTies = isByTime ? 'time' : 'any';
  const [searched, found] = [`searched/${cte.name}`, `found/${cte.name}`];
  const fetched = { columns: read.columns, where: isFound(found, ids) };
  return [
    { table: searched, kind: 'gather', query: gather(gathered) },
    { table: found, kind: 'search', query: { ...overTable(search, searched), withTies } },
    { table: `gathered/${cte.name}`, kind: 'fetch', query: cteRows(gathered, columns, fetched) },
  ];
}

/** The keys of the query; also the id that decides between ties if its first key is not a time, and has few values. */
function searchKeys({ orderBy, body }: bound.Query): readonly bound.Order[] {
  const own = orderBy.findIndex(({ isTieBreaker }) => isTieBreaker);
  const [first] = orderBy;
  if (own === 0 || first === undefined) return [];
  const tie = orderBy[own]?.value;
  if (tie === undefined) return orderBy;
  const isComputed = !bound.isPath(shownValue(tie, body.kind === 'select' ? body.items : []));
  return orderBy.slice(0, isComputed || timeTypes.has(first.value.type.kind) ? own : own + 1);
}

/** Types with few equal values. */
const timeTypes: ReadonlySet<string> = new Set(['TIMESTAMP', 'DATETIME']);

/** The columns of row ids at each level of the query. */
type RowIds = ReturnType<typeof createIds>;

function createIds(nextId: number) {
  const at = (level: number): readonly bound.Column[] =>
    rowIdColumns.map((name, index) => {
      const id = nextId + level * rowIdColumns.length + index;
      return { id, name, type: scalar('INT64'), isLogField: false };
    });
  return { ofSource: at(0), ofCte: at(1), ofRead: at(2), found: at(3) };
}

/** The number of first rows that a query needs of its only table; undefined for a query of another form. */
function rowsNeeded(query: bound.Query, { reads }: Gathering, maxRows: number): number | undefined {
  const { body, orderBy } = query;
  const [{ read, top }, ...others] = reads;
  if (others.length > 0 || top !== undefined || body.kind !== 'select') return undefined;
  if (!isRowWise(body) || keptRead(body.from) !== read) return undefined;
  if ([...body.items, ...orderBy].some(({ value }) => hasWindow(value)) || !isRepeatable(query)) {
    return undefined;
  }
  return rowsUsed(query, maxRows);
}

/** A CTE with the row ids of its source; undefined if its rows are not rows of one source. */
function withRowIds(cte: bound.Cte, ids: RowIds): bound.Cte | undefined {
  const { query } = cte;
  const { body } = query;
  if (body.kind !== 'select' || body.from.kind !== 'source') return undefined;
  const { source, columns } = body.from;
  const isChanged = [query.limit, query.offset, body.grouping, body.qualify].some(
    (clause) => clause !== undefined,
  );
  if (isChanged || body.distinct || !hasRowIds(source)) return undefined;
  // The CTE is read twice, the second time part by part: each row must be the same both times.
  if (body.items.some(({ value }) => hasWindow(value)) || !isRepeatable(query)) return undefined;
  const fields = rowIdColumns.map((name) => ({ name, type: scalar('INT64'), stored: true }));
  const withIds: bound.Select = {
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

function pair(
  columns: readonly bound.Column[],
  values: readonly bound.Column[],
): readonly bound.Item[] {
  return columns.map((column, index) => {
    return { column, value: bound.columnValue(values[index] ?? column) };
  });
}

interface Search {
  readonly read: bound.Read;
  readonly rows: number;
  readonly ids: RowIds;
}

function asSelect(query: bound.Query): bound.SelectQuery {
  const { body } = query;
  if (body.kind !== 'select') throw new Error('a search is one block');
  return { ...query, body };
}

/** The caller's query with only the row ids of its first rows in the SELECT list. */
function rowIdSearch(query: bound.Query, { read, rows, ids }: Search): bound.SelectQuery {
  const { offset: _, body, ...rest } = asSelect(query);
  const values = new Map(body.items.map(({ column, value }) => [column.id, value]));
  const itemValue = (node: bound.Expression) =>
    node.kind === 'column' ? values.get(node.column.id) : undefined;
  const orderBy = query.orderBy.map((key) => {
    return { ...key, value: mapExpression(key.value, itemValue) };
  });
  const from = withTable(body.from, read);
  const found = { ...body, from, items: pair(ids.found, ids.ofRead), columns: ids.found };
  const search = { ...rest, body: found, orderBy, columns: ids.found, isValue: false };
  return asSelect(dropUnreadCtes({ ...search, limit: countLiteral(rows) }));
}

/** Replaces the only table of FROM. */
function withTable(from: bound.From, table: bound.From): bound.From {
  return from.kind === 'unnest' ? { ...from, left: withTable(from.left, table) } : table;
}

function readsIn(search: bound.Query, { id }: bound.Cte): Gathering['reads'] {
  const maxRows = Number.POSITIVE_INFINITY;
  const reads = gatheredReads(search, { isGathered: (cte) => cte === id, maxRows }).get(id);
  const [first, ...others]: readonly GatheredRead[] = reads ?? [];
  if (first === undefined) throw new Error('a search reads its table');
  return [first, ...others];
}

function overTable(search: bound.SelectQuery, table: string): bound.SelectQuery {
  const { body } = search;
  const read = keptRead(body.from);
  const columns = read.kind === 'cte' ? read.columns : [];
  const from = withTable(body.from, { kind: 'table', table, columns });
  return { ...search, body: { ...body, from } };
}

/** `"row id" in (select "row id" from temp.found)`; the parts of a source have disjoint rows. */
function isFound(table: string, ids: RowIds): bound.Expression {
  const [rowId] = ids.ofRead;
  const [foundId] = ids.found;
  if (rowId === undefined || foundId === undefined) throw new Error('a row has two ids');
  const from = { kind: 'table', table, columns: ids.found } as const;
  const query = bound.selectQuery(pair([foundId], [foundId]), from);
  const operand = bound.columnValue(rowId);
  return { kind: 'subquery', form: 'IN', operand, query, type: scalar('BOOL') };
}
