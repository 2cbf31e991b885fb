import { emptyOrder, joinOrders, type TimeOrder } from '../scan/time-order.js';
import type { OpenFile } from './open-file.js';

/** A file of which the order of its records is known. */
type OrderedFile = OpenFile & { readonly order: TimeOrder };

/**
 * The files one after another in time, where that gives all records in their order without a sort:
 * each is in order, and none begins before the one before it has ended. Undefined where it does not.
 */
export function filesInOrder(open: readonly OpenFile[]): readonly OpenFile[] | undefined {
  const ordered = open.filter(hasOrder);
  if (ordered.length < open.length) return undefined;
  const sorted = ordered.toSorted((one, other) => startOf(one) - startOf(other));
  const whole = sorted.reduce((order, file) => joinOrders(order, file.order), emptyOrder);
  return whole.isKept ? sorted : undefined;
}

function hasOrder(file: OpenFile): file is OrderedFile {
  return file.order !== undefined;
}

function startOf({ order }: OrderedFile): number {
  return order.ends?.first.micros ?? 0;
}
