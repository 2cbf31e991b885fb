import type { BoundQuery, BoundRead } from '../bound/bound.js';
import type { CountParts } from '../bound/size.js';
import type { DuckExpression, DuckQuery } from '../duckdb-sql/duckdb-sql.js';
import type { Known } from '../rewrite/fold-constants.js';

/** What lowering knows of a statement while it goes through it. */
export interface Lowering {
  /** How each column in sight is written. */
  readonly columns: Map<number, DuckExpression>;
  /** The name in the statement of a CTE, by its query; to ask is to read it. */
  readonly readCte: (query: BoundQuery) => string;
  readonly newAlias: () => string;
  /** The names of all fields that the statement asks for. */
  readonly fieldNames: () => ReadonlySet<string>;
  /** @throws QueryFault where the statement becomes too large */
  readonly countWritten: CountParts;
  /** Whether texts of logs are redacted before they are matched against a parameter. */
  readonly redact: boolean;
  /** The name of the table that holds the rows of an endpoint's CTE; to ask is to read it. */
  readonly gathered: (read: BoundRead) => string;
  readonly known: Known;
  /** The same for what is only looked at: what that reads and writes is not counted. */
  readonly trial: (lowering: Lowering) => Lowering;
  /** EXISTS of a query that reads no table, as a condition on the row; undefined for other queries. */
  readonly lowerExists: (query: BoundQuery, lowering: Lowering) => DuckExpression | undefined;
  /** A query inside another; its order is kept where the place that reads it keeps order. */
  readonly lowerQuery: (query: BoundQuery, lowering: Lowering, keepsOrder?: boolean) => DuckQuery;
}
