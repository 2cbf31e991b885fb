import { storedNames, structType, type Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import type { Lowering } from './lowering.js';

/** A lowered FROM, with conditions on its rows and its columns. */
export interface Relation {
  /** Undefined for a single row without a table. */
  readonly from?: d.DuckFrom;
  readonly where: readonly d.DuckExpression[];
  readonly columns: readonly bound.Column[];
  /** The records that must not be NULL, each with its condition among `where`. */
  readonly notNull?: ReadonlyMap<d.DuckExpression, d.DuckExpression>;
}

/** The names of a query's columns in the engine: their own names, made unique. */
export function outputNames(columns: readonly bound.Column[]): readonly string[] {
  return storedNames(structType(columns));
}

/**
 * Wraps the relation in a sub-select of all its columns, and makes `lowering.columns` refer to it.
 * @param items extra columns of the sub-select
 */
export function wrapInSubquery(
  relation: Relation,
  lowering: Lowering,
  items: readonly d.DuckItem[] = [],
): { readonly alias: string; readonly relation: Relation } {
  // Each UNNEST of a list repeats the columns of all tables before it.
  lowering.countWritten(relation.columns.length);
  const alias = lowering.newAlias();
  const own = relation.columns.map((column, index): d.DuckItem => {
    const value = lowering.columns.get(column.id) ?? d.nullValue;
    const name = `${column.name || 'value'}_${index + 1}`;
    lowering.columns.set(column.id, d.column(alias, name));
    return { name, value };
  });
  const { where, columns } = relation;
  const query = d.selectFrom([...own, ...items], relation.from, { where });
  const from: d.DuckFrom = { kind: 'derived', query, alias };
  return { alias, relation: { from, where: [], columns } };
}

/** Creates a column that only the lowered statement has; its id is below zero. */
export function newColumn(
  type: Type,
  lowering: Lowering,
  value: d.DuckExpression = d.nullValue,
): bound.Column {
  const column = { id: -lowering.columns.size, name: '', type, isLogField: false };
  lowering.columns.set(column.id, value);
  return column;
}
