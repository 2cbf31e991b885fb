import type * as bound from '../bound/bound.js';
import type { CountParts } from '../bound/size.js';
import type { DuckExpression, DuckQuery } from '../duckdb-sql/duckdb-sql.js';

/** The state of lowering one statement, created by `lower` and passed down. */
export interface Lowering {
  /** The DuckDB expression of each column in scope, by the column's id. */
  readonly columns: Map<number, DuckExpression>;
  /** The CTEs in scope, by their ids: the name of each in the statement, and the number of its reads. */
  readonly ctes: Map<number, { readonly name: string; readonly reads: number }>;
  /** Creates an unused alias. */
  readonly newAlias: () => string;
  /** The names of all fields that the statement reads, computed on first use. */
  readonly fieldNames: () => ReadonlySet<string>;
  /** Adds to the size of the statement. @throws QueryFault if it becomes too large */
  readonly countWritten: CountParts;
  /** Whether strings of logs are redacted before they are matched against a parameter. */
  readonly redact: boolean;
  /** Passed down, because importing them would be circular. */
  readonly lowerQuery: (query: bound.Query, lowering: Lowering) => DuckQuery;
  /** Lowers EXISTS of a query that reads no table to a condition on the row; undefined for other queries. */
  readonly lowerExists: (query: bound.Query, lowering: Lowering) => DuckExpression | undefined;
}
