import type { Parameter as DeclaredParameter } from '../../endpoint/endpoint.js';
import type { TableSchema } from '../../types/table-schema.js';

/** A declared parameter. */
export type Parameter = DeclaredParameter;

/** A table that a caller's query may read. */
export interface Table {
  readonly name: string;
  readonly schema: TableSchema;
  /** The table that this is an alias of. */
  readonly aliasOf?: string;
}

/** An endpoint, as `/api/endpoints` describes it. */
export interface Endpoint {
  readonly name: string;
  readonly id: string;
  readonly parameters: readonly Parameter[];
  readonly maxRows: number;
  readonly cacheSeconds: number;
  /** Whether callers may send their own queries. */
  readonly sandbox: boolean;
  readonly redactPii: boolean;
  readonly sql: string;
  readonly schema: TableSchema;
  readonly tables: readonly Table[];
}

/** A function of GoogleSQL, as `/api/functions` describes it. */
export interface FunctionInfo {
  readonly name: string;
  readonly signatures: readonly string[];
  readonly description: string;
}

/** The data loaded after connecting. */
export interface Catalog {
  readonly endpoints: readonly Endpoint[];
  readonly functions: readonly FunctionInfo[];
  /** The server's clock in milliseconds since 1970, if it is fixed. */
  readonly fixedNowMs?: number;
  /** Whether the server follows the log files, so that new records can be shown as they arrive. */
  readonly canTail: boolean;
}

/** A fault that the server reports. */
export interface Fault {
  readonly message: string;
  /** The name of the parameter at fault, such as `sql` or `project`. */
  readonly location?: string;
  /** From 1, as is the column, which counts characters. */
  readonly line?: number;
  readonly column?: number;
}

/** A value in a row. INT64 values that a number cannot hold are bigints. */
export type Value =
  | null
  | string
  | number
  | bigint
  | boolean
  | readonly Value[]
  | { readonly [key: string]: Value };

/** A row of a result. */
export type Row = Readonly<Record<string, Value>>;
