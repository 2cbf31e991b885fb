import type { TimeWindow } from '../types/time-window.js';
import type { Type } from '../types/types.js';
import type { NewestRowsQuery } from './rewrite/newest-rows.js';

/** A column of the answer. */
export interface OutputColumn {
  readonly name: string;
  readonly type: Type;
}

/** One SELECT statement in the engine's dialect, with the tables and parameters that it reads. */
export interface CompiledText {
  readonly sql: string;
  /** The tables that the statement reads: `logs.<source>`, or `temp.<table>` of an earlier step. */
  readonly tables: readonly string[];
  /** The endpoint's parameters that the statement reads, by name. */
  readonly parameters: readonly string[];
  /** True if the statement reads the time of the request. */
  readonly readsClock: boolean;
  /** The types of the parameters by name, as GoogleSQL writes them, if the statement does not cast their values. */
  readonly types?: Readonly<Record<string, string>>;
}

/** A temporary table that the engine writes before it runs the query itself. */
export interface CompiledStep extends CompiledText {
  /** Its name in the schema `temp`. */
  readonly table: string;
  /** True if it reads stored records. Its error messages must then not quote values. */
  readonly isGather: boolean;
}

/**
 * Everything that the compiler hands to the engine. The statement returns up to one row more than the endpoint's
 * `maxRows`, which shows that there are more.
 */
export interface CompiledQuery extends CompiledText {
  /** The statements to run before this one, in order; empty for a stored query. */
  readonly steps: readonly CompiledStep[];
  /** True for a caller's query behind the wall: every row that its answer reads is the caller's own. */
  readonly readsOwnRows: boolean;
  /** False if it calls a function that may return a different value each time, such as RAND. */
  readonly isRepeatable: boolean;
  readonly columns: readonly OutputColumn[];
  /** Set if the query asks only for the newest records of a source, without redaction. */
  readonly newest?: NewestRowsQuery;
  /** Set for an engine that bills reads. */
  readonly window?: TimeWindow;
}

/** The columns and the readable tables of a stored query. */
export interface DescribedQuery {
  readonly columns: readonly OutputColumn[];
  /** Its CTEs, which callers' queries may read. */
  readonly tables: readonly DescribedTable[];
}

/** A CTE of a stored query. */
export interface DescribedTable {
  readonly name: string;
  readonly columns: readonly OutputColumn[];
  /** The table of which it is an alias. */
  readonly aliasOf?: string;
}
