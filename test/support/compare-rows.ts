import { isObject, type Json, type JsonObject, printJson } from './json.js';

export interface Comparison {
  /** `any` compares as a multiset of rows. */
  readonly order: 'exact' | 'any';
  /** Without it, below a row's own keys, a key of null on one side may be absent on the other. */
  readonly strict: boolean;
  /** The difference that numbers that are not whole may have, as a share of the greater: 1e-9 by default. */
  readonly tolerance?: number;
}

/**
 * Returns the difference of the rows from those expected, in words, by the rules of the acceptance cases;
 * undefined if there is none. The keys of a row must stand in the order expected, those below in any.
 */
export function differenceOfRows(
  actual: readonly Json[],
  expected: readonly Json[],
  { order, strict, tolerance = 1e-9 }: Comparison,
): string | undefined {
  if (actual.length !== expected.length) {
    return `${actual.length} rows, expected ${expected.length}; got ${printJson(actual)}`;
  }
  const left = [...actual];
  for (const [index, row] of expected.entries()) {
    const candidates = order === 'exact' ? left.slice(0, 1) : left;
    const differences = candidates.map((candidate) =>
      differenceOfRow(candidate, row, { strict, tolerance }),
    );
    const match = differences.indexOf(undefined);
    if (match < 0) return `row ${index}: ${differences[0]}`;
    left.splice(match, 1);
  }
  return undefined;
}

function differenceOfRow(
  actual: Json,
  expected: Json,
  leniency: Omit<At, 'path'>,
): string | undefined {
  if (!isObject(actual) || !isObject(expected)) return 'a row is no object';
  const keys = Object.keys(actual).join(', ');
  const wanted = Object.keys(expected).join(', ');
  if (keys !== wanted) return `keys ${keys}, expected ${wanted}`;
  return firstOf(Object.keys(expected), (key) =>
    difference(actual[key], expected[key], { path: key, ...leniency }),
  );
}

interface At {
  readonly path: string;
  readonly strict: boolean;
  readonly tolerance: number;
}

function difference(actual: Json | undefined, expected: Json | undefined, at: At) {
  if (Array.isArray(actual) && Array.isArray(expected)) return ofArrays(actual, expected, at);
  if (isObject(actual) && isObject(expected)) return ofObjects(actual, expected, at);
  if (
    isNumber(actual) && isNumber(expected)
      ? isSame(actual, expected, at.tolerance)
      : actual === expected
  ) {
    return undefined;
  }
  return `${at.path} is ${printJson(actual)}, expected ${printJson(expected)}`;
}

function ofArrays(actual: readonly Json[], expected: readonly Json[], at: At): string | undefined {
  const longest = Math.max(actual.length, expected.length);
  return firstOf([...Array(longest).keys()], (index) =>
    difference(actual[index], expected[index], { ...at, path: `${at.path}[${index}]` }),
  );
}

function ofObjects(actual: JsonObject, expected: JsonObject, at: At): string | undefined {
  const keys = new Set([...Object.keys(actual), ...Object.keys(expected)]);
  const read = (from: JsonObject, key: string) => (at.strict ? from[key] : (from[key] ?? null));
  return firstOf([...keys], (key) =>
    difference(read(actual, key), read(expected, key), { ...at, path: `${at.path}.${key}` }),
  );
}

function firstOf<T>(items: readonly T[], find: (item: T) => string | undefined) {
  for (const item of items) {
    const found = find(item);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isNumber(value: Json | undefined): value is bigint | number {
  return typeof value === 'bigint' || typeof value === 'number';
}

/** Whole numbers exactly, others within the tolerance; 2 is 2.0. */
function isSame(actual: bigint | number, expected: bigint | number, tolerance: number): boolean {
  if (typeof actual === 'bigint' && typeof expected === 'bigint') return actual === expected;
  const [left, right] = [Number(actual), Number(expected)];
  return Math.abs(left - right) <= tolerance * Math.max(Math.abs(left), Math.abs(right));
}
