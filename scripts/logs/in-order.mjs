/**
 * Gives things back in order of their instant; none comes later than `lag` after a newer one.
 * @template {{ readonly due: number }} T
 * @param {number} lag microseconds
 */
export function createInOrder(lag) {
  /** @type {T[]} in order from `first` on */
  let waiting = [];
  let first = 0;
  return {
    /** @param {T} one */
    add(one) {
      waiting.splice(placeOf(waiting, first, one.due), 0, one);
    },
    /** The oldest, once nothing can come before it. @param {number} now of the newest @returns {T | undefined} */
    next(now) {
      const one = waiting[first];
      if (one === undefined || one.due > now - lag) return undefined;
      first += 1;
      // To move the rest at each step would cost what a sort does.
      if (first > 1000 && first * 2 > waiting.length) {
        waiting = waiting.slice(first);
        first = 0;
      }
      return one;
    },
  };
}

/** After all that are not newer. @param {readonly { readonly due: number }[]} waiting @param {number} first @param {number} due */
function placeOf(waiting, first, due) {
  let low = first;
  let high = waiting.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((waiting[middle]?.due ?? 0) > due) high = middle;
    else low = middle + 1;
  }
  return low;
}
