import {
  call,
  castTo,
  choose,
  type DuckCall,
  duckNull,
  infix,
  integer,
  isNotNull,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { defineFunctions, type Emitter, withClauses } from './definition.js';

const pair = 'FLOAT64, FLOAT64 -> FLOAT64';
const single = 'FLOAT64 -> FLOAT64';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/statistical_aggregate_functions */
export const statisticalFunctions = defineFunctions(
  {
    corr: [pair, correlation],
    covar_pop: [pair, finite('covar_pop')],
    covar_samp: [pair, finite('covar_samp')],
    stddev: [single, finite('stddev_samp')],
    stddev_pop: [single, finite('stddev_pop')],
    stddev_samp: [single, finite('stddev_samp')],
    var_pop: [single, finite('var_pop')],
    var_samp: [single, finite('var_samp')],
    variance: [single, finite('var_samp')],
  },
  { kind: 'aggregate' },
);

/** The result is NaN if any input is NaN or infinite, for which DuckDB fails; a sample needs two values. */
function finite(name: string): Emitter {
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
    const computed: DuckCall = { ...withClauses(call(name, ...args), clauses), filter: both };
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
