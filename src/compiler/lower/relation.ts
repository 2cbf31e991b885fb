import { storedNames, structOf } from '../../types/type.js';
import type { Column } from '../bound/bound.js';
import {
  type DuckExpression,
  type DuckFrom,
  type DuckItem,
  type DuckOrder,
  duckNull,
  integer,
} from '../duckdb-sql/duckdb-sql.js';
import type { Lowering } from './lowering.js';

/** Rows in the making: what FROM reads, what WHERE must ask of it, and the columns it brings. */
export interface Relation {
  /** Undefined: one row. */
  readonly from?: DuckFrom;
  readonly where: readonly DuckExpression[];
  readonly columns: readonly Column[];
  /** The records whose presence `where` asks for last, each with what it asks. */
  readonly present?: ReadonlyMap<DuckExpression, DuckExpression>;
}

/** The names under which a query gives its columns: their own, made different where they are not. */
export function outputNames(columns: readonly Column[]): readonly string[] {
  return storedNames(structOf(columns));
}

/** What a sub-select says beside the relation's columns and conditions. */
interface Extras {
  /** Further columns. */
  readonly items?: readonly DuckItem[];
  readonly orderBy?: readonly DuckOrder[];
  readonly limit?: DuckExpression;
}

/** The relation as a sub-select of all its columns. */
export function wrapInSubquery(
  relation: Relation,
  lowering: Lowering,
  { items = [], orderBy = [], limit }: Extras = {},
): { readonly alias: string; readonly relation: Relation } {
  // Each UNNEST of a list carries the columns of all before it along.
  lowering.countWritten(relation.columns.length);
  const alias = lowering.newAlias();
  const own = relation.columns.map((column, index): DuckItem => {
    const value = lowering.columns.get(column.id) ?? duckNull;
    const name = `${column.name || 'value'}_${index + 1}`;
    lowering.columns.set(column.id, { kind: 'column', table: alias, name });
    return { name, value };
  });
  const all = [...own, ...items];
  const body = {
    kind: 'select',
    distinct: false,
    items: all.length > 0 ? all : [{ name: 'one', value: integer(1) }],
    ...(relation.from === undefined ? {} : { from: relation.from }),
    where: relation.where,
  } as const;
  const query = { ctes: [], body, orderBy, ...(limit && { limit }) };
  const from: DuckFrom = { kind: 'derived', query, alias };
  return { alias, relation: { from, where: [], columns: relation.columns } };
}
