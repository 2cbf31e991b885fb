import type { Type } from '../../types/types.js';
import type { DuckQuery } from './duckdb-sql.js';

/** The steps of a plan, each of which writes a temporary table, and the statement that returns the answer. */
export interface DuckPlan {
  readonly steps: readonly DuckStep[];
  readonly answer: DuckStatement;
}

/** A statement and the columns of its rows. */
export interface DuckStatement {
  readonly query: DuckQuery;
  readonly columns: readonly DuckColumn[];
}

/** A column of a statement's rows. */
export interface DuckColumn {
  readonly name: string;
  readonly type: Type;
  /** True for a stored field, whose values are returned unchanged. */
  readonly isLogField: boolean;
}

/** A temporary table and the statement that returns its rows. */
export interface DuckStep extends DuckStatement {
  /** Its name in the engine's schema of temporary tables. */
  readonly table: string;
  /** See `BoundStep`: `gather` and `fetch` read stored records, `search` only tables of earlier steps. */
  readonly kind: 'gather' | 'search' | 'fetch';
}
