import type * as d from '../duckdb-sql/duckdb-sql.js';
import { integer, isBlock, isQuery, selectFrom } from '../duckdb-sql/duckdb-sql.js';
import { mapChildren } from '../duckdb-sql/map-tree.js';
import type { Lowering } from './lowering.js';

/** A query whose body is a SELECT block. */
export type QueryOfBlock = d.DuckQuery & { readonly body: d.DuckSelect };

/** Whether a node is a query whose body is a SELECT block. */
export function isQueryOfBlock(node: object): node is QueryOfBlock {
  return isQuery(node) && isBlock(node.body);
}

/** The parts of a block to move into a sub-select of its rows. */
export interface Split extends Pick<d.DuckSelect, 'where' | 'qualify'> {
  /** The alias of the sub-select. */
  readonly alias: string;
  /** The tables that the block reads, by their aliases. */
  readonly own: ReadonlySet<string>;
  /** Values that the block reads as columns of the sub-select. */
  readonly items: readonly d.DuckItem[];
}

/** The join side to wrap in a sub-select, and the parts of the block to move into it. */
export interface SplitOfSide extends Split {
  readonly side: d.DuckFrom;
}

interface Options extends Pick<Lowering, 'countWritten'> {
  readonly changeRows: (rows: QueryOfBlock) => QueryOfBlock;
}

/**
 * Moves the rows of a block into a sub-select, which returns every column that the block reads.
 * `select t.a + 1 from t where c` -> `select s.c1 + 1 from (select t.a as c1 from t where c) s`
 */
export function nestRows(query: QueryOfBlock, split: Split, options: Options): QueryOfBlock {
  const { body, orderBy, ...rest } = query;
  const { from, ...clauses } = body;
  const { read, columns } = readerOf(split);
  const outer = { ...rest, body: read(clauses), orderBy: read(orderBy) };
  const derived = rowsOf(from, columns(), split, options);
  return { ...outer, body: { ...outer.body, from: derived } };
}

/**
 * Wraps a side of a join in a sub-select, which returns every column of the side that the block reads.
 * `select t.a from (t join u on k) left join v on c` ->
 * `select s.c1 from (select t.a as c1 from t join u on k) s left join v on c`
 */
export function nestSide(
  query: QueryOfBlock,
  { side, ...split }: SplitOfSide,
  options: Options,
): QueryOfBlock {
  const { read, columns } = readerOf(split, side);
  const outer = { ...query, body: read(query.body), orderBy: read(query.orderBy) };
  const derived = rowsOf(side, columns(), split, options);
  const replace = <T extends object>(node: T): T =>
    node === side ? (derived as d.DuckFrom as T & d.DuckFrom) : mapChildren(node, replace);
  return { ...outer, body: replace(outer.body) };
}

/** Replaces columns of the split's tables by columns of the sub-select, except in the part `except`. */
function readerOf({ alias, own }: Split, except?: d.DuckFrom) {
  const columns = new Map<string, d.DuckItem>();
  const read = <T extends object>(node: T): T => {
    if (node === except) return node;
    if (!isColumnOf(node, own)) return mapChildren(node, read);
    const key = JSON.stringify(node);
    const item = columns.get(key) ?? { name: `c${columns.size + 1}`, value: node };
    columns.set(key, item);
    return { kind: 'column', table: alias, name: item.name } as d.DuckExpression as T &
      d.DuckExpression;
  };
  return { read, columns: () => [...columns.values()] };
}

function rowsOf(
  from: d.DuckFrom | undefined,
  columns: readonly d.DuckItem[],
  { alias, own: _, items, ...conditions }: Split,
  { countWritten, changeRows }: Options,
): d.DuckFrom {
  countWritten(columns.length);
  const all = [...columns, ...items];
  const rows = selectFrom(all.length > 0 ? all : [{ name: 'one', value: integer(1) }], from);
  const query = changeRows({ ...rows, body: { ...rows.body, ...conditions } });
  return { kind: 'derived', query, alias };
}

/** Whether a node is a column of one of the tables, or a field of such a column. */
function isColumnOf(node: object, tables: ReadonlySet<string>): node is d.DuckExpression {
  const value = node as d.DuckExpression;
  if (value.kind === 'field') return isColumnOf(value.of, tables);
  return value.kind === 'column' && tables.has(value.table);
}
