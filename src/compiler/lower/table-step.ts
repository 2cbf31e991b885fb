import type { BoundCte, BoundRead } from '../bound/bound.js';
import type { DuckQuery } from '../duckdb-sql/duckdb-sql.js';
import type { Parts } from '../duckdb-sql/passes/parts.js';
import type { Known } from '../rewrite/fold-constants.js';

/** A temporary table that is written before the answer runs. */
export interface TableStep {
  readonly table: string;
  readonly query: DuckQuery;
  /** True where it reads stored records, false where it is the caller's over tables of earlier steps. */
  readonly isGather: boolean;
}

/** A CTE of the endpoint, and every read of it in one statement. */
export interface Gathering {
  readonly cte: BoundCte;
  readonly reads: readonly BoundRead[];
}

/** How rows are gathered. */
export interface GatherOptions {
  /** The endpoint's CTEs, which the gathered one may read. */
  readonly stored: readonly BoundCte[];
  readonly known: Known;
  /** Whether personal data in the gathered rows is redacted. */
  readonly redact: boolean;
}

/** What a split needs to know beside the query. */
export interface SplitOptions extends GatherOptions {
  /** How many of the answer's rows anybody reads. */
  readonly maxRows: number;
  readonly parts: Parts;
}
