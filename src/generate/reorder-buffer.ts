/** Something with a time, in unix microseconds. */
interface Due {
  readonly due: number;
}

/** Sorts items that are almost in order. */
export interface ReorderBuffer<T extends Due> {
  readonly add: (item: T) => void;
  /** Removes the oldest item, unless an older one may still be added; `now` is `due` of the newest item. */
  readonly next: (now: number) => T | undefined;
}

/** Creates a buffer for items none of which is added more than `lag` microseconds after a newer one. */
export function createReorderBuffer<T extends Due>(lag: number): ReorderBuffer<T> {
  // In ascending order of `due`, from index `first` on.
  let waiting: T[] = [];
  let first = 0;
  return {
    add(item) {
      waiting.splice(insertionIndex(waiting, first, item.due), 0, item);
    },
    next(now) {
      const item = waiting[first];
      if (item === undefined || item.due > now - lag) return undefined;
      first += 1;
      // Shift the array only now and then: shifting it each time would be slow.
      if (first > 1000 && first * 2 > waiting.length) {
        waiting = waiting.slice(first);
        first = 0;
      }
      return item;
    },
  };
}

/** The index after all items that are not newer. */
function insertionIndex(waiting: readonly Due[], first: number, due: number): number {
  let low = first;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((waiting[middle]?.due ?? 0) > due) high = middle;
    else low = middle + 1;
  }
  return low;
}
