import type * as bound from '../bound/bound.js';
import { type BoundMapper, mapQueries } from '../bound/map-expression.js';
import { dropOrder } from './drop-order.js';
import { dropUnreadCtes } from './drop-unread-ctes.js';
import { foldConstants, type KnownValues } from './fold-constants.js';
import { inheritOrder } from './inherit-order.js';
import { inlineOneRow } from './inline-one-row.js';
import { keepLayout } from './keep-layout.js';

/** A rewrite of a bound statement into one with the same rows. */
interface Rewrite {
  readonly name: string;
  readonly apply: (statement: bound.Query, known: KnownValues) => bound.Query;
}

/** All rewrites, in the order in which they run. */
const rewrites: readonly Rewrite[] = [
  // First, so that the other rewrites have less to do: a caller's query reads one or two of many CTEs.
  { name: 'drop unread CTEs', apply: dropUnreadCtes },
  { name: 'fold constants', apply: foldConstants },
  { name: 'inline one-row queries', apply: mapEach(inlineOneRow) },
  { name: 'drop unread CTEs', apply: dropUnreadCtes },
  { name: 'inherit order', apply: mapEach(inheritOrder) },
  { name: 'drop useless order', apply: mapEach(dropOrder) },
  { name: 'keep the stored layout', apply: keepLayout },
];

/** A rewrite of every query in a statement. */
function mapEach(query: Required<BoundMapper>['query']): Rewrite['apply'] {
  return (statement) => mapQueries(statement, { query });
}

/** Called with the name and the result of each rewrite that changed the statement. */
export type OnRewrite = (name: string, statement: bound.Query) => void;

/**
 * The fourth stage: a bound statement -> one with the same rows that is cheaper to run, in an order that
 * no longer depends on its inner queries.
 */
export function rewrite(
  statement: bound.Query,
  known: KnownValues,
  onRewrite: OnRewrite = () => {},
): bound.Query {
  return rewrites.reduce((before, { name, apply }) => {
    const after = apply(before, known);
    if (after !== before) onRewrite(name, after);
    return after;
  }, statement);
}
