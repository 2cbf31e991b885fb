import {
  call,
  castTo,
  choose,
  type DuckCall,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  isNotNull,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { defineFunctions, type Emitter, withClauses } from './definition.js';

const types = ['INT64', 'NUMERIC', 'BIGNUMERIC', 'FLOAT64'];
const pair = types.map((type) => `${type}, ${type} -> FLOAT64`).join(' | ');
const single = types.map((type) => `${type} -> FLOAT64`).join(' | ');

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/statistical_aggregate_functions */
export const statisticalFunctions = defineFunctions(
  {
    corr: [pair, exactly('corr', correlation)],
    covar_pop: [pair, exactly('covar_pop', finite('covar_pop', scaledIfLarge))],
    covar_samp: [pair, exactly('covar_samp', finite('covar_samp', scaledIfLarge))],
    stddev: [single, exactly('stddev_samp', finite('stddev_samp'))],
    stddev_pop: [single, exactly('stddev_pop', finite('stddev_pop'))],
    stddev_samp: [single, exactly('stddev_samp', finite('stddev_samp'))],
    var_pop: [single, exactly('var_pop', finite('var_pop'))],
    var_samp: [single, exactly('var_samp', finite('var_samp'))],
    variance: [single, exactly('var_samp', finite('var_samp'))],
  },
  { kind: 'aggregate' },
);

/** Decimals exactly, as a large mean would cancel out the digits of a FLOAT64; other numbers as FLOAT64. */
function exactly(name: string, ofFloats: Emitter): Emitter {
  return (args, node, clauses) => {
    const kind = node.args[0]?.type.kind ?? '';
    if (kind === 'FLOAT64') return ofFloats(args, node, clauses);
    if (kind === 'INT64') return ofFloats(args.map(toFloat), node, clauses);
    const texts = args.map((arg) => castTo(arg, 'VARCHAR'));
    const values = infix('||', ...texts.flatMap((arg, i) => (i === 0 ? [arg] : [text(','), arg])));
    const known = args.map(isNotNull);
    const list = { ...withClauses(call('list', values), clauses), filter: infix('AND', ...known) };
    const joined = call('array_to_string', list, text(','));
    return castTo(call('js_decimal_statistic', text(name), text(kind), joined), 'DOUBLE');
  };
}

function toFloat(value: DuckExpression): DuckExpression {
  return castTo(value, 'DOUBLE');
}

/** Calls an aggregate function on the finite values. */
type Aggregate = (args: readonly DuckExpression[]) => DuckExpression;
type Compute = (aggregate: Aggregate, args: readonly DuckExpression[]) => DuckExpression;

/** Products of numbers above 1e154 exceed FLOAT64, but their mean may not: 2^-512 of each is small enough. */
function scaledIfLarge(...[aggregate, args]: Parameters<Compute>): DuckExpression {
  const up = castTo(text(String(2 ** 512)), 'DOUBLE');
  const down = castTo(text(String(2 ** -512)), 'DOUBLE');
  const scaled = aggregate(args.map((arg) => infix('*', arg, down)));
  const plain = aggregate(args);
  return choose(call('isfinite', plain), plain, infix('*', scaled, up, up));
}

/** The result is NaN if any input is NaN or infinite, for which DuckDB fails; a sample needs two values. */
function finite(name: string, compute: Compute = (aggregate, args) => aggregate(args)): Emitter {
  return (args, _, clauses) => {
    const [x = duckNull, y] = args;
    const oneIsFinite = call('isfinite', x);
    const both = y === undefined ? oneIsFinite : infix('AND', oneIsFinite, call('isfinite', y));
    const known = y === undefined ? x : infix('+', x, y);
    const over = clauses.over === undefined ? {} : { over: clauses.over };
    const all: DuckCall = {
      ...call('bool_and', both),
      filter: { kind: 'is-null', of: known, not: true },
      ...over,
    };
    const aggregate: Aggregate = (of) => ({
      ...withClauses(call(name, ...of), clauses),
      filter: both,
    });
    const computed = compute(aggregate, args);
    const nan = castTo(text('NaN'), 'DOUBLE');
    const result = choose(call('coalesce', all, { kind: 'word', word: 'TRUE' }), computed, nan);
    if (!name.endsWith('_samp')) return result;
    const count: DuckCall = { ...withClauses(call('count', x), clauses), filter: isNotNull(known) };
    return choose(infix('>', count, integer(1)), result);
  };
}

/** A single pair has no correlation. */
function correlation(...[args, node, clauses]: Parameters<Emitter>) {
  const pairs = withClauses(call('regr_count', ...args), { ...clauses, distinct: false });
  return choose(infix('>', pairs, integer(1)), finite('corr')(args, node, clauses));
}
