import type { TextFunction } from './script-function.js';

/** The sums of some pairs of values, in units of the last digit; exact, so that nothing cancels out. */
interface Sums {
  readonly count: bigint;
  readonly x: bigint;
  readonly y: bigint;
  readonly xx: bigint;
  readonly xy: bigint;
  readonly yy: bigint;
}

/** `n² cov(x, y)` in units, from which the others derive. */
const covariance = ({ count, x, y, xy }: Sums) => count * xy - x * y;
const varianceX = ({ count, x, xx }: Sums) => count * xx - x * x;
const varianceY = ({ count, y, yy }: Sums) => count * yy - y * y;

/** The squares of two factors: stored units per 1, and units of the type per stored unit. */
interface Squares {
  readonly square: bigint;
  readonly further: bigint;
}

/** A statistic; NULL if there are too few values. */
type Statistic = (sums: Sums, squares: Squares) => number | null;

function population(spread: (sums: Sums) => bigint, missing: bigint): Statistic {
  return (sums, { square, further }) => {
    const { count } = sums;
    if (count <= missing) return null;
    return Number(spread(sums) * further) / Number(count * (count - missing) * square * further);
  };
}

function root(statistic: Statistic): Statistic {
  return (sums, squares) => {
    const variance = statistic(sums, squares);
    return variance === null ? null : Math.sqrt(variance);
  };
}

const statistics: Readonly<Record<string, Statistic>> = {
  corr: (sums, { further }) =>
    sums.count < 2n
      ? null
      : Number(covariance(sums) * further) /
        Math.sqrt(Number(varianceX(sums) * varianceY(sums) * further * further)),
  covar_pop: population(covariance, 0n),
  covar_samp: population(covariance, 1n),
  stddev_pop: root(population(varianceX, 0n)),
  stddev_samp: root(population(varianceX, 1n)),
  var_pop: population(varianceX, 0n),
  var_samp: population(varianceX, 1n),
};

function sumsOf(values: readonly bigint[], width: 1 | 2): Sums {
  let [x, y, xx, xy, yy] = [0n, 0n, 0n, 0n, 0n];
  for (let index = 0; index < values.length; index += width) {
    const left = values[index] ?? 0n;
    x += left;
    xx += left * left;
    if (width === 1) continue;
    const right = values[index + 1] ?? 0n;
    y += right;
    yy += right * right;
    xy += left * right;
  }
  return { count: BigInt(values.length / width), x, y, xx, xy, yy };
}

/** The number of digits after the point: those that a value is stored with, and the extra ones of its type. */
interface Scale {
  readonly stored: number;
  readonly further: number;
}

const scales: Readonly<Record<string, Scale>> = {
  NUMERIC: { stored: 9, further: 0 },
  INT64: { stored: 0, further: 0 },
  BIGNUMERIC: { stored: 8, further: 30 },
};

/**
 * `(name, type, values)`: a statistic of decimals separated by commas; `corr` and `covar_…` take pairs. It is
 * computed like the reference implementation: exact integers, then one division of FLOAT64s.
 */
function decimalStatistic([name, type, values]: readonly (string | null)[]): string | null {
  const statistic = statistics[name ?? ''];
  const scale = scales[type ?? ''];
  if (statistic === undefined || scale === undefined || !values) return null;
  const units = values.replaceAll('.', '').split(',').map(BigInt);
  const sums = sumsOf(units, name?.startsWith('co') ? 2 : 1);
  const result = statistic(sums, squaresOf(scale));
  return result === null ? null : String(result);
}

/** Returns the squared scales: rounding to FLOAT64 depends on the digits of the type. */
function squaresOf({ stored, further }: Scale): Squares {
  return { square: 10n ** BigInt(2 * stored), further: 10n ** BigInt(2 * further) };
}

/** DuckDB sums the lower 32 bits of products separately. */
const half = 2n ** 32n;

/** The weight of the first of a decimal's two limbs. */
const limb = 2n ** 63n;

/**
 * `(name, type, sums)`: a statistic of integers, or of decimals in units of their last digit, from their count and their
 * sums, separated by commas: of `x` and `y`, and of the products `x * x`, `x * y` and `y * y`, each product as the sums of
 * its upper and lower halves. Without `y`: of `x` and `x * x`. A decimal has two limbs, each treated as a separate value.
 */
function integerStatistic([name, type, given]: readonly (string | null)[]): string | null {
  const statistic = statistics[name ?? ''];
  const scale = scales[type ?? ''];
  if (statistic === undefined || scale === undefined || !given) return null;
  const limbs = type === 'INT64' ? [1n] : [limb, 1n];
  const sums = sumsOfLimbs(given.split(',').map(BigInt), limbs, name?.startsWith('co') ? 2 : 1);
  const result = statistic(sums, squaresOf(scale));
  return result === null ? null : String(result);
}

function sumsOfLimbs(
  [count = 0n, ...sums]: readonly bigint[],
  limbs: readonly bigint[],
  width: 1 | 2,
): Sums {
  const parts = Array.from({ length: width }, (_, of) => limbs.map((weight) => ({ of, weight })));
  const all = parts.flat();
  const linear: [bigint, bigint] = [0n, 0n];
  for (const [index, { of, weight }] of all.entries()) {
    linear[of === 0 ? 0 : 1] += weight * (sums[index] ?? 0n);
  }
  const products: [bigint, bigint, bigint] = [0n, 0n, 0n];
  let next = all.length;
  for (const [index, left] of all.entries()) {
    for (const right of all.slice(index)) {
      const product = (sums[next] ?? 0n) * half + (sums[next + 1] ?? 0n);
      const twice = left !== right && left.of === right.of ? 2n : 1n;
      products[placeOf(left.of + right.of)] += left.weight * right.weight * twice * product;
      next += 2;
    }
  }
  const [xx, xy, yy] = products;
  return { count, x: linear[0], y: linear[1], xx, xy, yy };
}

function placeOf(index: number): 0 | 1 | 2 {
  return index === 2 ? 2 : index === 1 ? 1 : 0;
}

export const statisticFunctions: readonly TextFunction[] = [
  { name: 'js_decimal_statistic', input: 'texts', result: 'VARCHAR', call: decimalStatistic },
  { name: 'js_integer_statistic', input: 'texts', result: 'VARCHAR', call: integerStatistic },
];
