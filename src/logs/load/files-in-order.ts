import { emptyOrder, joinOrders, type TimeOrder } from '../scan/time-order.js';
import type { OpenFile } from './open-file.js';

/** A file with a known order of records. */
type OrderedFile = OpenFile & { readonly order: TimeOrder };

/**
 * Sorts the files by time if that puts all records in order, so that they need no sort: each file is
 * in order, and none begins before the previous one ends. Otherwise undefined.
 */
export function filesInOrder(open: readonly OpenFile[]): readonly OpenFile[] | undefined {
  const ordered = open.filter(hasOrder);
  if (ordered.length < open.length) return undefined;
  const sorted = ordered.toSorted((one, other) => startOf(one) - startOf(other));
  const whole = sorted.reduce((order, file) => joinOrders(order, file.order), emptyOrder);
  return whole.isOrdered ? sorted : undefined;
}

function hasOrder(file: OpenFile): file is OrderedFile {
  return file.order !== undefined;
}

function startOf({ order }: OrderedFile): number {
  return order.ends?.first.micros ?? 0;
}
