import { hasRowIds, rowIdColumns } from '../../types/schema.js';
import { scalar } from '../../types/type.js';
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
import { mapExpression, someInQuery } from '../bound/map-expression.js';
import {
  type DuckExpression,
  type DuckQuery,
  infix,
  integer,
  temporarySchema,
} from '../duckdb-sql/duckdb-sql.js';
import type { GatheredColumn } from '../duckdb-sql/passes/narrow.js';
import { inEachPart } from '../duckdb-sql/passes/parts.js';
import { countOf, hasWindow } from '../rewrite/gather-window.js';
import { gather, itemsOf, redactGathered, rowsOf, typeOf } from './gather.js';
import { lowerOver } from './lower-over.js';
import type { Gathering, SplitOptions, TableStep } from './table-step.js';

/** What the answer reads of the one table that is gathered for it. */
interface Wanted extends Gathering {
  readonly table: string;
  readonly columns: readonly GatheredColumn[];
}

/**
 * The steps that gather wide columns only of the rows that remain: first what the query filters and
 * orders by is gathered with row ids, then the caller's filter, order and limit find the rows, and
 * those are fetched by their ids. Undefined where the query is of another shape, or where nothing
 * wide would be saved.
 */
export function lateFetch(
  query: BoundQuery,
  wanted: Wanted,
  options: SplitOptions,
): readonly TableStep[] | undefined {
  const { cte, table, columns } = wanted;
  const [read] = wanted.reads;
  const rows = read && oneTop(query, wanted, options.maxRows);
  const addressed = withRowIds(cte);
  if (read === undefined || rows === undefined || addressed === undefined) return undefined;
  const names = { searched: `searched/${cte.name}`, found: `found/${cte.name}` };
  const search = searchOf(query, { cte: addressed, columns: [...read.columns, ...readIds] }, rows);
  const { known } = options;
  const finding = lowerOver(search, () => names.searched, { maxRows: undefined, known });
  const searched = finding.tables.get(names.searched) ?? [];
  if (!columns.some((column) => isWide(read, column) && !holds(searched, column))) return undefined;
  const [[, reads = []] = []] = finding.reads;
  const narrow = gather({ cte: addressed, reads }, searched, options);
  const fetch = fetchOf(addressed, { ...wanted, found: names.found }, options);
  return [
    { table: names.searched, query: narrow, isGather: true },
    { table: names.found, query: finding.query, isGather: false },
    { table, query: fetch, isGather: true },
  ];
}

/** How many rows of its one table a query needs, the first in its order; undefined where that is not known. */
function oneTop(query: BoundQuery, { reads }: Wanted, maxRows: number): number | undefined {
  const { body, orderBy } = query;
  const [read, ...others] = reads;
  if (others.length > 0 || read?.top !== undefined || body.kind !== 'select') return undefined;
  const { distinct, grouping, having, qualify } = body;
  const isChanged = distinct || [grouping, having, qualify].some((part) => part !== undefined);
  if (isChanged || tableOf(body.from)?.cte !== read?.cte) return undefined;
  if ([...body.items, ...orderBy].some(hasWindow) || someInQuery(query, isUnstable))
    return undefined;
  const limit = query.limit === undefined ? maxRows : countOf(query.limit);
  const rows = Math.min(limit, maxRows) + (query.offset === undefined ? 0 : countOf(query.offset));
  return Number.isSafeInteger(rows) ? rows : undefined;
}

/** A call that may give another value each time. */
function isUnstable(node: BoundExpression): boolean {
  return node.kind === 'call' && !node.function.isStable;
}

/** The table whose rows FROM unnests records of; undefined where it joins. */
function tableOf(from: BoundFrom): BoundRead | undefined {
  if (from.kind === 'unnest') return tableOf(from.left);
  return from.kind === 'cte' ? from : undefined;
}

/** Free ids: resolved columns have positive ones, and a statement has at most one late fetch. */
const idColumns = (firstId: number): readonly Column[] =>
  rowIdColumns.map((name, place) => {
    return { id: firstId - place, name, type: scalar('INT64'), isLogField: false };
  });

const [sourceIds, cteIds, readIds, foundIds] = [-1, -3, -5, -7].map(idColumns) as [
  readonly Column[],
  readonly Column[],
  readonly Column[],
  readonly Column[],
];

/** A CTE with the row ids of its source; undefined where its rows are not those of one source. */
function withRowIds(cte: BoundCte): BoundCte | undefined {
  const { query } = cte;
  const { body } = query;
  if (body.kind !== 'select' || body.from.kind !== 'source' || query.limit !== undefined)
    return undefined;
  const { source, columns } = body.from;
  const isChanged = body.distinct || body.grouping !== undefined || body.qualify !== undefined;
  if (isChanged || query.offset !== undefined || !hasRowIds(source)) return undefined;
  // It is read twice, the second time part by part: each row must be the same both times.
  if (body.items.some(hasWindow) || someInQuery(query, isUnstable)) return undefined;
  const fields = rowIdColumns.map((name) => ({ name, type: scalar('INT64'), stored: true }));
  const withIds: BoundSelect = {
    ...body,
    from: {
      kind: 'source',
      source: { ...source, columns: [...source.columns, ...fields] },
      columns: [...columns, ...sourceIds],
    },
    items: [...body.items, ...pair(cteIds, sourceIds)],
    columns: [...body.columns, ...cteIds],
  };
  return { ...cte, query: { ...query, body: withIds, columns: withIds.columns } };
}

function pair(columns: readonly Column[], values: readonly Column[]): readonly BoundItem[] {
  return columns.map((column, place) => {
    return { column, value: columnValue(values[place] ?? column) };
  });
}

/** The caller's query with nothing in its SELECT list but the row ids of its first rows. */
function searchOf(
  query: BoundQuery,
  table: Pick<BoundRead, 'cte' | 'columns'>,
  rows: number,
): BoundQuery {
  const { offset: _, ...rest } = query;
  const { body } = query;
  if (body.kind !== 'select') throw new Error('a search is one block');
  const values = new Map(body.items.map(({ column, value }) => [column.id, value]));
  const orderBy = query.orderBy.map((key) => ({
    ...key,
    value: mapExpression(key.value, (node) =>
      node.kind === 'column' ? values.get(node.column.id) : undefined,
    ),
  }));
  const from = withTable(body.from, table);
  const found = { ...body, from, items: pair(foundIds, readIds), columns: foundIds };
  const limit = { kind: 'literal', value: String(rows), type: scalar('INT64') } as const;
  return { ...rest, body: found, orderBy, limit, columns: foundIds, isValue: false };
}

function withTable(from: BoundFrom, table: Pick<BoundRead, 'cte' | 'columns'>): BoundFrom {
  if (from.kind === 'unnest') return { ...from, left: withTable(from.left, table) };
  return { kind: 'cte', ...table };
}

const fixedSize: ReadonlySet<string> = new Set(
  'BOOL INT64 FLOAT64 NUMERIC BIGNUMERIC DATE TIME DATETIME TIMESTAMP INTERVAL'.split(' '),
);

function isWide(read: BoundRead, column: GatheredColumn): boolean {
  return !fixedSize.has(typeOf(read, column).kind);
}

/** Whether some column holds all of another. */
function holds(columns: readonly GatheredColumn[], { of, path }: GatheredColumn): boolean {
  return columns.some(
    (one) => one.of === of && !one.isNull && one.path.every((name, place) => path[place] === name),
  );
}

/** The wanted columns of the rows that were found, part by part. */
function fetchOf(
  cte: BoundCte,
  { reads, columns, found }: Wanted & { readonly found: string },
  options: SplitOptions,
): DuckQuery {
  const [read] = reads;
  const all = [...(read?.columns ?? []), ...readIds];
  const rows = rowsOf(cte, { columns: all }, options);
  const { body } = rows;
  const items = itemsOf(body, columns);
  const [rowId] = body.items.slice(-readIds.length);
  if (rowId === undefined) throw new Error('a fetch is by row ids');
  // The engine chooses the join, and with it the order of the rows, by how many rows other projects have.
  const orderBy = [{ value: rowId.value, descending: false }];
  const fetched = inEachPart({ ...rows, orderBy }, options.parts, (part) => {
    const isFound: DuckExpression = {
      kind: 'subquery',
      form: 'IN',
      operand: rowId.value,
      query: idsIn(found, part),
    };
    return { ...body, items, where: [...body.where, isFound] };
  });
  return options.redact ? redactGathered(fetched, { columns: all }, columns) : fetched;
}

/** `select f."row id" from temp.found f where f."part id" = 2`. */
function idsIn(table: string, part: number): DuckQuery {
  const [rowId, partId] = rowIdColumns.map((name): DuckExpression => {
    return { kind: 'column', table: 'found', name };
  });
  if (rowId === undefined || partId === undefined) throw new Error('a row has two ids');
  return {
    ctes: [],
    body: {
      kind: 'select',
      distinct: false,
      items: [{ name: 'row id', value: rowId }],
      from: { kind: 'table', path: [temporarySchema, table], alias: 'found' },
      where: [infix('=', partId, integer(part))],
    },
    orderBy: [],
  };
}
