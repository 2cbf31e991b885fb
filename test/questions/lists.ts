/** A value that a list may be sorted or grouped by. */
type Key = string | number | boolean | null;

/** A direction and what to sort by. */
interface Order<T> {
  readonly of: (item: T) => Key;
  readonly sign: 1 | -1;
}

/** Sorts from low to high, null first. */
export function asc<T>(of: (item: T) => Key): Order<T> {
  return { of, sign: 1 };
}

/** Sorts from high to low, null last. */
export function desc<T>(of: (item: T) => Key): Order<T> {
  return { of, sign: -1 };
}

/** Sorts a copy of a list by its first order, and where that leaves two equal, by the next. */
export function sort<T>(items: readonly T[], ...orders: readonly Order<T>[]): T[] {
  return items.toSorted((left, right) => {
    for (const { of, sign } of orders) {
      const difference = compare(of(left), of(right));
      if (difference !== 0) return sign * difference;
    }
    return 0;
  });
}

function compare(left: Key, right: Key): number {
  if (left === right) return 0;
  if (left === null || right === null) return left === null ? -1 : 1;
  return left < right ? -1 : 1;
}

/** The items of each key, in the order in which the keys first occur. */
export function groupBy<T, K>(items: readonly T[], keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** A key of several columns with its items. */
interface Group<K, T> {
  readonly key: K;
  readonly items: readonly T[];
}

/** The items that agree in all columns of a key. */
export function groups<T, const K extends Readonly<Record<string, Key>>>(
  items: readonly T[],
  keyOf: (item: T) => K,
): Group<K, T>[] {
  const keyed = items.map((item) => ({ key: keyOf(item), item }));
  return [...groupBy(keyed, ({ key }) => JSON.stringify(key)).values()].map((members) => ({
    key: first(members).key,
    items: members.map(({ item }) => item),
  }));
}

/** The first item. @throws Error if there is none */
export function first<T>(items: readonly T[]): T {
  const [item] = items;
  if (item === undefined) throw new Error('the list is empty');
  return item;
}

/** The last item. @throws Error if there is none */
export function last<T>(items: readonly T[]): T {
  return first(items.slice(-1));
}

/** The number of items that meet a condition. */
export function count<T>(items: readonly T[], meets: (item: T) => boolean): number {
  return items.filter(meets).length;
}

/** The items, each once, in the order in which they first occur. */
export function distinct<T>(items: readonly T[]): T[] {
  return [...new Set(items)];
}

/** The items that are not null. */
export function present<T>(items: readonly T[]): NonNullable<T>[] {
  return items.flatMap((item) => (item === null || item === undefined ? [] : [item]));
}

/** The sum of numbers; 0 if there are none. */
export function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

/** The arithmetic mean. @throws Error if there are no numbers */
export function mean(numbers: readonly number[]): number {
  if (numbers.length === 0) throw new Error('the list is empty');
  return sum(numbers) / numbers.length;
}

/** The greatest number. */
export function max(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
}

/** The least number. */
export function min(numbers: readonly number[]): number {
  return numbers.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
}

/** The value at a share of the way from the least to the greatest, between two values in proportion. */
export function percentile(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const at = share * (sorted.length - 1);
  const low = sorted[Math.floor(at)] ?? Number.NaN;
  const high = sorted[Math.ceil(at)] ?? Number.NaN;
  return low + (high - low) * (at - Math.floor(at));
}

/** The least value that at least a share of the values does not exceed. */
export function percentileOfValues(numbers: readonly number[], share: number): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Variance of a sample. */
export function variance(numbers: readonly number[]): number {
  const middle = mean(numbers);
  return sum(numbers.map((number) => (number - middle) ** 2)) / (numbers.length - 1);
}

/** Rounds half away from zero. */
export function round(number: number, digits = 0): number {
  const scale = 10 ** digits;
  return (Math.sign(number) * Math.round(Math.abs(number) * scale)) / scale;
}

/** The whole numbers from one to another, both included. */
export function range(from: number, to: number, step = 1): number[] {
  return Array.from(
    { length: Math.floor((to - from) / step) + 1 },
    (_, index) => from + index * step,
  );
}
