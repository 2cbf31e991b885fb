import type { Type } from '../../types/type.js';

/** A table that a text may read. */
export interface LqlTable {
  readonly name: string;
  readonly columns: readonly LqlColumn[];
}

export interface LqlColumn {
  readonly name: string;
  readonly type: Type;
}

/** What a text may read. */
export interface LqlReadable {
  readonly tables: readonly LqlTable[];
  /** Read where the text has no `f:`; undefined where the endpoint's own query reads no CTE. */
  readonly defaultTable: string | undefined;
}

/** A table in FROM, under an alias that no name of the text or of its columns is. */
export interface LqlRange extends LqlTable {
  readonly alias: string;
}

/** A column by its name, without regard to letter case. */
export function findColumn(table: LqlTable, name: string): LqlColumn | undefined {
  const wanted = name.toLowerCase();
  return table.columns.find((column) => column.name.toLowerCase() === wanted);
}
