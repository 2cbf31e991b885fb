/**
 * The mean of several measurements of the same shape: of each number; of anything else, the first.
 * @template T
 * @param {readonly [T, ...T[]]} all
 * @returns {T}
 */
export function meanMeasurement(all) {
  return /** @type {T} */ (mean(all));
}

/** @param {readonly any[]} all @returns {any} */
function mean(all) {
  const [first] = all;
  if (typeof first === 'number')
    return all.reduce((sum, each) => Number(sum) + Number(each), 0) / all.length;
  if (Array.isArray(first)) return first.map((_, index) => mean(all.map((each) => each[index])));
  if (first instanceof Map) {
    const valuesAt = (/** @type {unknown} */ key) => all.map((each) => each.get(key));
    return new Map([...first.keys()].map((key) => [key, mean(valuesAt(key))]));
  }
  if (typeof first !== 'object' || first === null || all.every((each) => each === first))
    return first;
  return Object.fromEntries(
    Object.keys(first).map((key) => [key, mean(all.map((each) => each[key]))]),
  );
}

/** The difference of the greatest and the least number, as a share of their mean. @param {readonly number[]} values */
export function relativeSpread(values) {
  const total = values.reduce((sum, value) => sum + value, 0);
  return (Math.max(...values) - Math.min(...values)) / (total / values.length);
}
