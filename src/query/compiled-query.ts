import type { Type } from '../source/schema.js';

/** A column of the answer. */
export interface OutputColumn {
  readonly name: string;
  readonly type: Type;
}

/** All that crosses from the compiler to the engine. */
export interface CompiledQuery {
  /** One SELECT of one column, each row's JSON object; asks for one row more than the endpoint's max rows. */
  readonly sql: string;
  /** The tables that the text reads, `logs.<source>` each. */
  readonly tables: readonly string[];
  /** The endpoint's parameters that the text reads, by name. */
  readonly parameters: readonly string[];
  /** True when the text reads the request's instant. */
  readonly readsClock: boolean;
  readonly columns: readonly OutputColumn[];
}
