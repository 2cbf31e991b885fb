import type { BoundCte } from './bound.js';
import type { Readable } from './resolve.js';

/**
 * The second stage, of a caller's query only: what it may read is the CTEs of its endpoint's stored
 * query, under that query's parameters, and no source. A table that is not among them, in whatever
 * place of the text, is refused where its name is bound.
 */
export function confine(ctes: readonly BoundCte[], parameters: Readable['parameters']): Readable {
  return { sources: undefined, parameters, ctes };
}
