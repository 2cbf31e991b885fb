import { storedNames, structOf } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression, DuckFrom, DuckItem } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import type { Lowering } from './lowering.js';

/** A lowered FROM, with conditions on its rows and its columns. */
export interface Relation {
  /** Undefined for a single row without a table. */
  readonly from?: DuckFrom;
  readonly where: readonly DuckExpression[];
  readonly columns: readonly bound.Column[];
  /** The records that must not be NULL, each with its condition among `where`. */
  readonly notNull?: ReadonlyMap<DuckExpression, DuckExpression>;
}

/** The names of a query's columns in the engine: their own names, made unique. */
export function outputNames(columns: readonly bound.Column[]): readonly string[] {
  return storedNames(structOf(columns));
}

/**
 * Wraps the relation in a sub-select of all its columns, and makes `lowering.columns` refer to it.
 * @param items extra columns of the sub-select
 */
export function wrapInSubquery(
  relation: Relation,
  lowering: Lowering,
  items: readonly DuckItem[] = [],
): { readonly alias: string; readonly relation: Relation } {
  // Each UNNEST of a list repeats the columns of all tables before it.
  lowering.countWritten(relation.columns.length);
  const alias = lowering.newAlias();
  const own = relation.columns.map((column, index): DuckItem => {
    const value = lowering.columns.get(column.id) ?? d.nullValue;
    const name = `${column.name || 'value'}_${index + 1}`;
    lowering.columns.set(column.id, { kind: 'column', table: alias, name });
    return { name, value };
  });
  const all = [...own, ...items];
  const rows = d.selectFrom(
    all.length > 0 ? all : [{ name: 'one', value: d.integer(1) }],
    relation.from,
  );
  const query = { ...rows, body: { ...rows.body, where: relation.where } };
  const from: DuckFrom = { kind: 'derived', query, alias };
  return { alias, relation: { from, where: [], columns: relation.columns } };
}
