import type { BoundQuery } from './bound.js';

/**
 * A statement as the engine runs it: first the steps, each of which writes the rows of its query into a
 * temporary table, then the answer.
 */
export interface BoundPlan {
  readonly steps: readonly BoundStep[];
  readonly answer: BoundQuery;
}

/** One temporary table and the query of its rows. */
export interface BoundStep {
  /** Its name in the engine's schema of temporary tables. */
  readonly table: string;
  /**
   * `gather` reads stored records of all projects; `search` is a part of the caller's query and reads
   * tables of earlier steps only; `fetch` gathers the records that a search found.
   */
  readonly kind: 'gather' | 'search' | 'fetch';
  readonly query: BoundQuery;
}
