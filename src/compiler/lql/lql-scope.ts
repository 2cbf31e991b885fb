import type { Type } from '../../types/types.js';

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
  /** The table that a query without `f:` reads; undefined if the endpoint's query reads no CTE. */
  readonly defaultTable: string | undefined;
}

/** The table in FROM; its alias differs from the names of all columns and all other names in the query. */
export interface LqlRange extends LqlTable {
  readonly alias: string;
}

/** A column by name, ignoring case. */
export function findColumn(table: LqlTable, name: string): LqlColumn | undefined {
  const wanted = name.toLowerCase();
  return table.columns.find((column) => column.name.toLowerCase() === wanted);
}
