import type { BoundQuery } from '../bound/bound.js';
import { dropOrder } from './drop-order.js';
import { dropUnreadCtes } from './drop-unread-ctes.js';
import { foldConstants, type Known } from './fold-constants.js';
import { inheritOrder } from './inherit-order.js';
import { inlineOneRow } from './inline-one-row.js';
import { dropOwnProject } from './own-project.js';

/** A rewrite of a bound statement: the same rows, for less work. */
interface Rewrite {
  readonly name: string;
  readonly apply: (statement: BoundQuery, known: Known) => BoundQuery;
}

/** All rewrites, in the order in which they run. */
const rewrites: readonly Rewrite[] = [
  // Of an endpoint with many CTEs, a caller's query reads one or two.
  { name: 'drop unread CTEs', apply: dropUnreadCtes },
  { name: 'fold constants', apply: foldConstants },
  { name: 'inline one-row queries', apply: inlineOneRow },
  { name: 'drop unread CTEs', apply: dropUnreadCtes },
  { name: 'drop conditions on the only project', apply: dropOwnProject },
  { name: 'inherit order', apply: inheritOrder },
  { name: 'drop useless order', apply: dropOrder },
];

/** Called with the name and the result of each rewrite that changed the statement. */
export type OnRewrite = (name: string, statement: BoundQuery) => void;

/**
 * The fourth stage: a bound statement -> one that means the same and is cheaper to run.
 * @param known what is known of the parameters' values
 */
export function rewrite(
  statement: BoundQuery,
  known: Known,
  onRewrite: OnRewrite = () => {},
): BoundQuery {
  return rewrites.reduce((before, { name, apply }) => {
    const after = apply(before, known);
    if (after !== before) onRewrite(name, after);
    return after;
  }, statement);
}
