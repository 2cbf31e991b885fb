import type { Type } from '../../types/type.js';

/** A table that a query may read. */
export interface LqlTable {
  readonly name: string;
  readonly columns: readonly LqlColumn[];
}

/** A column of a table. */
export interface LqlColumn {
  readonly name: string;
  readonly type: Type;
}

/** The tables that a query may read. */
export interface LqlScope {
  readonly tables: readonly LqlTable[];
  /** The table of a query without `f:`; undefined if the endpoint's query reads no CTE. */
  readonly defaultTable: string | undefined;
}

/** The table in FROM, with an alias that differs from every name in the query and every column. */
export interface LqlRange extends LqlTable {
  readonly alias: string;
}

/** A column by name, ignoring case. */
export function findColumn(table: LqlTable, name: string): LqlColumn | undefined {
  const wanted = name.toLowerCase();
  return table.columns.find((column) => column.name.toLowerCase() === wanted);
}
