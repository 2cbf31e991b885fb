import type { BoundCte, BoundQuery, BoundRead } from '../bound/bound.js';
import { type Narrowed, narrow } from '../duckdb-sql/passes/narrow.js';
import { type LowerOptions, lower } from './lower.js';

/** A query over gathered tables, the columns that it needs, and its reads of each CTE. */
export interface LoweredOver extends Narrowed {
  readonly reads: ReadonlyMap<BoundCte, readonly BoundRead[]>;
}

/** Lowers a query over gathered tables, which are named by `nameOf`. */
export function lowerOver(
  query: BoundQuery,
  nameOf: (cte: BoundCte) => string,
  options: Omit<LowerOptions, 'gathered'>,
): LoweredOver {
  const reads = new Map<BoundCte, BoundRead[]>();
  const gathered = (read: BoundRead) => {
    reads.set(read.cte, [...(reads.get(read.cte) ?? []), read]);
    return nameOf(read.cte);
  };
  return { ...narrow(lower(query, { ...options, gathered })), reads };
}
