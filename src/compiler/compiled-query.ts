import type { Type } from '../types/type.js';

/** A column of the answer. */
export interface OutputColumn {
  readonly name: string;
  readonly type: Type;
}

/** One SELECT statement in the engine's dialect, and what it reads. */
export interface CompiledText {
  readonly sql: string;
  /** The tables that the text reads: `logs.<source>`, or `temp.<table>` of an earlier step. */
  readonly tables: readonly string[];
  /** The endpoint's parameters that the text reads, by name. */
  readonly parameters: readonly string[];
  /** True when the text reads the request's instant. */
  readonly readsClock: boolean;
}

/** A temporary table that the engine writes before it runs the query itself. */
export interface CompiledStep extends CompiledText {
  /** Its name in the schema `temp`. */
  readonly table: string;
  /** True where it reads stored records; a failure may then quote no value. */
  readonly isGather: boolean;
}

/**
 * All that crosses from the compiler to the engine. The text gives one column, each row's JSON
 * object, and asks for one row more than the endpoint's max rows.
 */
export interface CompiledQuery extends CompiledText {
  /** In the order in which they run; none of a stored query. */
  readonly steps: readonly CompiledStep[];
  /** True for a caller's query: every row that its text reads is the caller's own. */
  readonly readsOwnRows: boolean;
  readonly columns: readonly OutputColumn[];
}
