import type * as bound from './bound.js';

/**
 * A statement as the engine runs it: first the steps, each of which writes the rows of its query to a
 * temporary table; then the answer, which reads these tables.
 */
export interface BoundPlan {
  readonly steps: readonly BoundStep[];
  readonly answer: bound.Query;
}

/** A temporary table and the query that fills it. */
export interface BoundStep {
  /** Its name in the engine's schema of temporary tables. */
  readonly table: string;
  /**
   * `gather` reads stored records of all projects. `search` is a part of the caller's query, and reads
   * only tables of earlier steps. `fetch` gathers the records that a search found.
   */
  readonly kind: 'gather' | 'search' | 'fetch';
  readonly query: bound.Query;
}
