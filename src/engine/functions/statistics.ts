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

/** `n² cov(x, y)` in units, from which the others follow. */
const covariance = ({ count, x, y, xy }: Sums) => count * xy - x * y;
const varianceX = ({ count, x, xx }: Sums) => count * xx - x * x;
const varianceY = ({ count, y, yy }: Sums) => count * yy - y * y;

/** The squares of two scales: stored units in 1, and units of the type in a stored unit. */
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

/** The digits behind the point: those that a value is stored with, and the further ones that its type has. */
const scales: Readonly<Record<string, { readonly stored: number; readonly further: number }>> = {
  NUMERIC: { stored: 9, further: 0 },
  INT64: { stored: 0, further: 0 },
  BIGNUMERIC: { stored: 8, further: 30 },
};

/**
 * `(name, type, values)`: a statistic of decimals, which are separated by commas; `corr` and `covar_…` are of pairs. It
 * is computed as the reference implementation does: exact integers, then one division of FLOAT64s.
 */
function decimalStatistic([name, type, values]: readonly (string | null)[]): string | null {
  const statistic = statistics[name ?? ''];
  const scale = scales[type ?? ''];
  if (statistic === undefined || scale === undefined || !values) return null;
  const units = values.replaceAll('.', '').split(',').map(BigInt);
  const sums = sumsOf(units, name?.startsWith('co') ? 2 : 1);
  // Rounding to FLOAT64 depends on the digits of the type.
  const further = 10n ** BigInt(2 * scale.further);
  const square = 10n ** BigInt(2 * scale.stored);
  const result = statistic(sums, { square, further });
  return result === null ? null : String(result);
}

/** DuckDB sums the lower 32 bits of products on their own. */
const half = 2n ** 32n;

/**
 * `(name, sums)`: a statistic of integers, from their count and their sums, separated by commas: of `x`, `y`, and the
 * products `x * x`, `x * y` and `y * y`, each as those of its upper and its lower half. Without `y`, of `x` and `x * x`.
 */
function integerStatistic([name, given]: readonly (string | null)[]): string | null {
  const statistic = statistics[name ?? ''];
  if (statistic === undefined || !given) return null;
  const [count = 0n, x = 0n, ...others] = given.split(',').map(BigInt);
  const y = others.length > 2 ? others.shift() : 0n;
  const product = (index: number) =>
    (others[2 * index] ?? 0n) * half + (others[2 * index + 1] ?? 0n);
  const [xx, xy, yy] = [product(0), product(1), product(2)];
  const result = statistic({ count, x, y: y ?? 0n, xx, xy, yy }, { square: 1n, further: 1n });
  return result === null ? null : String(result);
}

export const statisticFunctions: readonly TextFunction[] = [
  { name: 'js_decimal_statistic', input: 'texts', result: 'VARCHAR', call: decimalStatistic },
  { name: 'js_integer_statistic', input: 'texts', result: 'VARCHAR', call: integerStatistic },
];
