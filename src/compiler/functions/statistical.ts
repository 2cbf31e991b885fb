import type { DuckCall, DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { isHeavy } from '../duckdb-sql/let.js';
import { defineFunctions, type Emitter, withClauses } from './definition.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/statistical_aggregate_functions */
export const statisticalFunctions = defineFunctions(
  {
    corr: ['NUMBER, NUMBER -> FLOAT64', exactly('corr', 0)],
    covar_pop: ['NUMBER, NUMBER -> FLOAT64', exactly('covar_pop', 2)],
    covar_samp: ['NUMBER, NUMBER -> FLOAT64', exactly('covar_samp', 2)],
    stddev: ['NUMBER -> FLOAT64', exactly('stddev_samp', 1)],
    stddev_pop: ['NUMBER -> FLOAT64', exactly('stddev_pop', 1)],
    stddev_samp: ['NUMBER -> FLOAT64', exactly('stddev_samp', 1)],
    var_pop: ['NUMBER -> FLOAT64', exactly('var_pop', 2)],
    var_samp: ['NUMBER -> FLOAT64', exactly('var_samp', 2)],
    variance: ['NUMBER -> FLOAT64', exactly('var_samp', 2)],
  },
  { kind: 'aggregate' },
);

/**
 * Computes a statistic of INT64 and decimals exactly, because a large mean would cancel out the digits of a
 * FLOAT64. `factors` is the number of values that the result is a product of.
 */
function exactly(name: string, factors: 0 | 1 | 2): Emitter {
  const floats = ofFloats(name, factors);
  return (args, node, clauses) => {
    const kind = node.args[0]?.type.kind ?? '';
    if (kind === 'FLOAT64') return floats(args, node, clauses);
    const isRepeatable = !args.some((arg) => isHeavy(arg, Number.MAX_SAFE_INTEGER));
    if (kind === 'INT64') {
      return (isRepeatable ? ofSums(name, kind) : floats)(args.map(toFloat), node, clauses);
    }
    // Sums avoid a list of all values for each row of a window.
    const isSummed = isRepeatable && clauses.over !== undefined && !clauses.distinct;
    return (isSummed ? ofSums : ofDecimals)(name, kind)(args, node, clauses);
  };
}

function toFloat(value: DuckExpression): DuckExpression {
  return d.castTo(value, 'DOUBLE');
}

function ofDecimals(name: string, kind: string): Emitter {
  return (args, _, clauses) => {
    const list = withClauses(d.call('list', joinTexts(args)), clauses, areKnown(args));
    const joined = d.call('array_to_string', list, d.text(','));
    return toFloat(d.call('js_decimal_statistic', d.text(name), d.text(kind), joined));
  };
}

function areKnown(args: readonly DuckExpression[]): DuckExpression {
  return d.infix('AND', ...args.map(d.isNotNull));
}

/**
 * Computes a statistic from exact sums of products, for decimals, or for integers rounded to FLOAT64 as in BigQuery.
 */
function ofSums(name: string, kind: string): Emitter {
  return (args, node, clauses) => {
    const integers = args.map((arg) => d.castTo(arg, 'HUGEINT'));
    if (clauses.distinct) return ofDecimals(name, 'INT64')(integers, node, clauses);
    const aggregate = (of: DuckCall) => withClauses(of, clauses, areKnown(args));
    const count = aggregate(d.call('count', ...args.slice(0, 1)));
    const limbs = kind === 'INT64' ? integers : args.flatMap(decimalLimbs);
    const summed = [...limbs, ...pairProducts(limbs).flatMap(halves)];
    const texts = joinTexts([count, ...summed.map((one) => aggregate(d.call('sum', one)))]);
    return toFloat(d.call('js_integer_statistic', d.text(name), d.text(kind), texts));
  };
}

/** Splits a decimal's digits into two limbs, of which the first is worth 2^63: products of limbs fit into 128 bits. */
function decimalLimbs(value: DuckExpression): readonly DuckExpression[] {
  const digits = d.call('replace', d.castTo(value, 'VARCHAR'), d.text('.'), d.text(''));
  const base = d.castTo({ kind: 'number', digits: String(2n ** 63n) }, 'HUGEINT');
  const units = d.castTo(digits, 'HUGEINT');
  return [d.infix('//', units, base), d.infix('%', units, base)];
}

/** The products that a statistic sums: `x * x`, or `x * x`, `x * y` and `y * y`. */
function pairProducts(args: readonly DuckExpression[]): readonly DuckExpression[] {
  return args.flatMap((left, index) => args.slice(index).map((right) => d.infix('*', left, right)));
}

/** The upper and lower half of a product: a sum of products can exceed 128 bits, a sum of halves cannot. */
function halves(product: DuckExpression): readonly DuckExpression[] {
  const half = d.integer(2 ** 32);
  return [d.infix('//', product, half), d.infix('%', product, half)];
}

function joinTexts(values: readonly DuckExpression[]): DuckExpression {
  const texts = values.map((value) => d.castTo(value, 'VARCHAR'));
  return d.infix(
    '||',
    ...texts.flatMap((one, index) => (index === 0 ? [one] : [d.text(','), one])),
  );
}

/** The squares of larger numbers may exceed FLOAT64. */
const largest = d.castTo(d.text('1e150'), 'DOUBLE');
const up = d.castTo(d.text(String(2 ** 600)), 'DOUBLE');
const down = d.castTo(d.text(String(2 ** -600)), 'DOUBLE');
const nan = d.castTo(d.text('NaN'), 'DOUBLE');

/**
 * Computes a statistic of FLOAT64: NaN if any input is NaN or infinite, for which DuckDB fails, and NULL for a sample
 * of one. Scales large numbers down (in correlations, only if both are large), and the result up, once per factor.
 */
function ofFloats(name: string, factors: 0 | 1 | 2): Emitter {
  return (args, _, clauses) => {
    const unordered = { ...clauses, orderBy: [] };
    const sizes = args.map((arg) =>
      withClauses(d.call('max', d.call('abs', arg)), unordered, areKnown(args)),
    );
    const areFinite = d.infix('AND', ...args.map((arg) => d.call('isfinite', arg)));
    const areSmall = d.infix(
      'OR',
      ...args.map((arg) => d.infix('<=', d.call('abs', arg), largest)),
    );
    // Fails if squares exceed FLOAT64.
    const plain = withClauses(d.call(name, ...args), clauses, d.infix('AND', areFinite, areSmall));
    const small = args.map((arg) => d.infix('*', arg, down));
    const scaled = withClauses(d.call(name, ...small), clauses, areFinite);
    const count = withClauses(d.call('count', ...args.slice(0, 1)), unordered, areKnown(args));
    const unknown = sizes.map((size) => d.infix('=', d.call('isfinite', size), d.falseValue));
    const large = sizes.map((size) => d.infix('>', size, largest));
    const isLarge = d.infix(factors === 0 ? 'AND' : 'OR', ...large);
    const enlarged = d.infix('*', scaled, ...[up, up].slice(0, factors));
    const finite = d.choose(isLarge, enlarged, plain);
    const result = d.choose(d.infix('OR', ...unknown), nan, finite);
    return name.endsWith('_pop') ? result : d.choose(d.infix('>', count, d.integer(1)), result);
  };
}
