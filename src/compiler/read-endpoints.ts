import type { StoredParameter } from './parameter-types.js';

/** A stored query as others read it: as a table, without its limit of rows. */
export interface ReadEndpoint {
  readonly name: string;
  readonly sql: string;
  /** Whether it gets a CTE for every source and alias that it has none for. */
  readonly allSources?: boolean;
  readonly parameters: readonly StoredParameter[];
}

/** A stored query, and the endpoints that it reads as tables, directly or through others. */
export interface Reader extends ReadEndpoint {
  /** It declares all of their parameters. */
  readonly reads?: readonly ReadEndpoint[];
}

/**
 * The endpoints that a stored query reads. The text of each begins with as many spaces as there are characters in the texts
 * before it, so that no two nodes of a statement have the same offset; `start` is where its own text begins.
 */
export function placeReads({ sql, reads = [] }: Reader) {
  let start = sql.length + 1;
  return reads.map((one) => {
    const placed = { ...one, sql: one.sql.padStart(start + one.sql.length), start };
    start = placed.sql.length + 1;
    return placed;
  });
}
