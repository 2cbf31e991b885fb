/**
 * Sorts items that are almost in order: none is added more than `lag` after a newer one.
 * @template {{ readonly due: number }} T
 * @param {number} lag microseconds
 */
export function createReorderBuffer(lag) {
  /** @type {T[]} in ascending order of `due`, from index `first` on */
  let waiting = [];
  let first = 0;
  return {
    /** @param {T} item */
    add(item) {
      waiting.splice(insertionIndex(waiting, first, item.due), 0, item);
    },
    /** Removes the oldest item, unless an older one may still be added. @param {number} now `due` of the newest item @returns {T | undefined} */
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

/** The index after all items that are not newer. @param {readonly { readonly due: number }[]} waiting @param {number} first @param {number} due */
function insertionIndex(waiting, first, due) {
  let low = first;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((waiting[middle]?.due ?? 0) > due) high = middle;
    else low = middle + 1;
  }
  return low;
}
