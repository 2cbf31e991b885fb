import { QueryFault } from '../../errors/query-fault.js';
import * as bound from '../bound/bound.js';
import { plain } from '../bound/coerce.js';
import { orderKey } from '../bound/comparable.js';
import { fingerprint } from '../bound/fingerprint.js';
import { mapExpression } from '../bound/map-expression.js';
import { someExpression } from '../bound/search.js';
import type { Expression, OrderItem } from '../syntax/tree.js';
import { keyItem, type NamedItem } from './resolve-grouping.js';

/** The output columns and other expressions that keys of an ORDER BY may refer to. */
export interface OrderKeys {
  /** The output columns. */
  readonly items: readonly bound.Item[];
  /** Resolves a key that is not the name or number of an output column. */
  readonly resolve: (node: Expression) => bound.Expression;
  /** Whether keys may only use output columns and columns of enclosing queries, as after DISTINCT. */
  readonly outputOnly: boolean;
  /** The ids of the columns of enclosing queries. */
  readonly outer: ReadonlySet<number>;
}

/**
 * Resolves the keys of an ORDER BY.
 * @throws QueryFault for a key that cannot be ordered by, or is not available after DISTINCT or UNION
 */
export function resolveOrderBy(
  items: readonly OrderItem[],
  keys: OrderKeys,
): readonly bound.Order[] {
  if (items.length === 0) return [];
  const named = keys.items.map(({ column, value }) => ({ name: column.name, value }));
  // Reversed, so that the first of several equal items is used.
  const outputs = new Map(
    keys.items.toReversed().map(({ column, value }) => [fingerprint(value), column]),
  );
  return items.map((item) => resolveKey(item, { ...keys, named, outputs }));
}

/** {@link OrderKeys} with indexes of the items. */
interface IndexedKeys extends OrderKeys {
  readonly named: readonly NamedItem[];
  /** The output columns by the fingerprint of their values. */
  readonly outputs: ReadonlyMap<string, bound.Column>;
}

function resolveKey(item: OrderItem, keys: IndexedKeys): bound.Order {
  const value = keyItem(item.value, keys.named, 'ORDER BY')?.value ?? keys.resolve(item.value);
  const order = orderKey(item, value);
  const output = keys.outputs.get(fingerprint(value));
  if (output !== undefined) return { ...order, value: bound.columnValue(output) };
  if (!keys.outputOnly) return order;
  return { ...order, value: plain(rewriteOverOutput(value, keys, item.at)) };
}

/** Rewrites a key in terms of the output columns; after DISTINCT or UNION, no other columns are available. */
function rewriteOverOutput(
  value: bound.Expression,
  { items, outputs, outer }: IndexedKeys,
  at: number,
): bound.Expression {
  const ids = new Set([...outer, ...items.map(({ column }) => column.id)]);
  const key = mapExpression(value, (part) => {
    const column = outputs.get(fingerprint(part));
    return column && bound.columnValue(column);
  });
  if (!someExpression(key, (part) => readsOtherThan(ids, part))) return key;
  const message = 'ORDER BY clause expression references a column that is not in the SELECT list';
  throw new QueryFault(message, at);
}

/** Whether an expression may read a column whose id is not in `ids`. */
function readsOtherThan(ids: ReadonlySet<number>, part: bound.Expression): boolean {
  if (part.kind === 'column') return !ids.has(part.column.id);
  return part.kind === 'subquery' || (part.kind === 'call' && part.clauses?.over !== undefined);
}
