import type { Text } from './script-function.js';

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

/**
 * The squares of two factors: stored units per 1, and units of the type per stored unit. Rounding depends on the digits of the
 * type, so both factors are kept.
 */
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

function powerSums(values: readonly bigint[], width: 1 | 2): Sums {
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

/** By type: all 9 decimal places of a NUMERIC are stored, but only 8 of the 38 decimal places of a BIGNUMERIC. */
const squaresByType: Readonly<Record<string, Squares>> = {
  NUMERIC: { square: 10n ** 18n, further: 1n },
  INT64: { square: 1n, further: 1n },
  BIGNUMERIC: { square: 10n ** 16n, further: 10n ** 60n },
};

/** Computes the statistic with this name from its sums; `width` is 2 for a statistic of pairs. */
function compute(name: string, type: string, readSums: (width: 1 | 2) => Sums): Text {
  const squares = squaresByType[type];
  const statistic = statistics[name];
  if (statistic === undefined || squares === undefined) return null;
  const result = statistic(readSums(name.startsWith('co') ? 2 : 1), squares);
  return result === null ? null : String(result);
}

/**
 * A statistic of decimals separated by commas; `corr` and `covar_…` take pairs. It is
 * computed like the reference implementation: exact integers, then one division of FLOAT64s.
 */
export function decimalStatistic(name: string, type: string, values: string): Text {
  if (values === '') return null;
  const units = values.replaceAll('.', '').split(',').map(BigInt);
  return compute(name, type, (width) => powerSums(units, width));
}

/** DuckDB sums the lower 32 bits of products separately. */
const half = 2n ** 32n;

/** The weight of the first of a decimal's two limbs. */
const limb = 2n ** 63n;

/**
 * A statistic of integers, or of decimals in units of their last digit, from their count and their
 * sums, separated by commas: of `x` and `y`, and of the products `x * x`, `x * y` and `y * y`, each product as the sums
 * of its upper and lower halves. Without `y`: of `x` and `x * x`. A decimal has two limbs, each treated as a separate
 * value.
 */
export function integerStatistic(name: string, type: string, sums: string): Text {
  const limbs = type === 'INT64' ? [1n] : [limb, 1n];
  const given = sums.split(',').map(BigInt);
  return compute(name, type, (width) => sumsOfLimbs(given, limbs, width));
}

function sumsOfLimbs(
  [count = 0n, ...sums]: readonly bigint[],
  limbs: readonly bigint[],
  width: 1 | 2,
): Sums {
  const parts = Array.from({ length: width }, (_, of) => limbs.map((weight) => ({ of, weight })));
  const all = parts.flat();
  const linear = [0n, 0n];
  for (const [index, { of, weight }] of all.entries()) {
    linear[of] = (linear[of] ?? 0n) + weight * (sums[index] ?? 0n);
  }
  const products = [0n, 0n, 0n];
  let next = all.length;
  for (const [index, left] of all.entries()) {
    for (const right of all.slice(index)) {
      const product = (sums[next] ?? 0n) * half + (sums[next + 1] ?? 0n);
      const twice = left !== right && left.of === right.of ? 2n : 1n;
      const place = left.of + right.of;
      products[place] = (products[place] ?? 0n) + left.weight * right.weight * twice * product;
      next += 2;
    }
  }
  const [x = 0n, y = 0n] = linear;
  const [xx = 0n, xy = 0n, yy = 0n] = products;
  return { count, x, y, xx, xy, yy };
}
