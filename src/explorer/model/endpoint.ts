import type { Endpoint } from '../../endpoint/endpoint.js';
import type { TableSchema } from '../../types/table-schema.js';

/** A table that a caller's query may read. */
export interface ListedTable {
  readonly name: string;
  readonly schema: TableSchema;
  /** The table that this is an alias of. */
  readonly aliasOf?: string;
}

/** An endpoint, as `/api/endpoints` describes it. */
export interface ListedEndpoint
  extends Pick<
    Endpoint,
    'name' | 'id' | 'parameters' | 'maxRows' | 'sandbox' | 'redactPii' | 'sql'
  > {
  readonly cacheSeconds: number;
  readonly schema: TableSchema;
  readonly tables: readonly ListedTable[];
}

/** A function of GoogleSQL, as `/api/functions` describes it. */
export interface FunctionInfo {
  readonly name: string;
  readonly signatures: readonly string[];
  readonly description: string;
}

/** The endpoints and functions, which are known after connecting. */
export interface CatalogAnswer {
  readonly endpoints: readonly ListedEndpoint[];
  readonly functions: readonly FunctionInfo[];
  /** The server's clock in milliseconds since 1970, if it is fixed; otherwise not a number. */
  readonly fixedNowMs?: number;
  /** Whether the server follows the log files, so that new records can be shown as they arrive. */
  readonly canTail: boolean;
}

/** A fault that the server reports. */
export interface AnswerFault {
  readonly message: string;
  /** The name of the parameter at fault, such as `sql` or `project`. */
  readonly location?: string;
  /** Line and column count from 1; the column counts characters. */
  readonly line?: number;
  readonly column?: number;
}

/** A value in a row. INT64 values that a number cannot hold are bigints. */
export type AnswerValue =
  | null
  | string
  | number
  | bigint
  | boolean
  | readonly AnswerValue[]
  | { readonly [key: string]: AnswerValue };

/** A row of a result. */
export type AnswerRow = Readonly<Record<string, AnswerValue>>;

/** Whether a value is a record. */
export function isAnswerRow(value: AnswerValue): value is AnswerRow {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
