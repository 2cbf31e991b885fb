import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import { checkMin } from '../duckdb-sql/check-count.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { type Clauses, defineFunctions, type Emitter, withClauses } from './definition.js';

/**
 * The results are exact, as BigQuery's are for few rows.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/approximate_aggregate_functions
 */
export const approximateFunctions = [
  ...defineFunctions(
    {
      approx_count_distinct: ['ANY -> INT64', countDistinct],
      approx_quantiles: ['T, INT64 -> ARRAY<T>', quantiles],
      approx_top_count: ['T, INT64 -> ARRAY<STRUCT<value T, count INT64>>', topCount],
    },
    { kind: 'aggregate' },
  ),
  ...defineFunctions(
    { approx_top_sum: ['T, NUMBER, INT64 -> ARRAY<STRUCT<value T, sum NUMBER>>', topSum] },
    { kind: 'aggregate', holdsQuery: true },
  ),
];

function countDistinct(...[args, , clauses]: Parameters<Emitter>): DuckExpression {
  return withClauses(d.call('count', ...args), { ...clauses, distinct: true });
}

/**
 * The minimum, the maximum, and the values at the boundaries of the `number` parts between them. The
 * fractions are truncated, not rounded, so that they never point past their row.
 */
function quantiles(...[args, node, clauses]: Parameters<Emitter>) {
  const [value = d.nullValue, number = d.nullValue] = args;
  const parts = positiveLiteral(node);
  if (clauses.respectNulls || parts === undefined || parts > maxFractions) {
    const order = { value, descending: false, nulls: 'FIRST' } as const;
    const filter = clauses.respectNulls ? undefined : d.isNotNull(value);
    const list = withClauses(d.call('list', value), plainClauses(clauses, [order]), filter);
    return d.macro('quantile_places', list, number);
  }
  const fractions = Array.from({ length: parts + 1 }, (_, i) =>
    d.castTo(d.text(fraction(BigInt(i), BigInt(parts))), 'DECIMAL(18,15)'),
  );
  const list: DuckExpression = { kind: 'list', elements: fractions };
  return withClauses(d.call('quantile_disc', value, list), plainClauses(clauses));
}

/** The maximum number of fractions to write out: a hundred thousand would make a statement of megabytes. */
const maxFractions = 1_000;

const digits = 15;

function fraction(part: bigint, whole: bigint): string {
  const scaled = String((part * 10n ** BigInt(digits)) / whole).padStart(digits + 1, '0');
  return `${scaled.slice(0, -digits)}.${scaled.slice(-digits)}`;
}

function plainClauses(clauses: Clauses, orderBy: Clauses['orderBy'] = []): Clauses {
  return { ...clauses, ignoreNulls: false, orderBy };
}

/** APPROX_TOP_COUNT, which counts NULL like any other value. */
function topCount(...[args, node, clauses]: Parameters<Emitter>) {
  const [value = d.nullValue, number = d.nullValue] = args;
  const plain = plainClauses(clauses);
  const counted = d.call('map_entries', withClauses(d.call('histogram', value), plain));
  const isInterval = node.args[0]?.type.kind === 'INTERVAL';
  const entries = isInterval ? d.macro('merged_entries', counted) : counted;
  const rows = withClauses(d.countOfRows, plain);
  const nulls = d.infix('-', rows, withClauses(d.call('count', value), plain));
  const top = d.macro('top_count', entries, nulls, checkPositive(number, node));
  return d.choose(d.infix('>', rows, d.integer(0)), top);
}

function topSum(...[args, node, clauses]: Parameters<Emitter>) {
  const [value = d.nullValue, weight = d.nullValue, number = d.nullValue] = args;
  const fields = [
    { name: 'v', value },
    { name: 'w', value: weight },
  ];
  const pairs = withClauses(d.call('list', { kind: 'struct', fields }), plainClauses(clauses));
  return d.castTo(d.macro('top_sum', pairs, checkPositive(number, node)), duckType(node.type));
}

/** Returns the last argument of a call, which fails if it is a parameter that is not positive. */
function checkPositive(number: DuckExpression, node: bound.Call): DuckExpression {
  positiveLiteral(node);
  const name = node.function.name.toUpperCase();
  return checkMin(1, number, `The last argument of ${name} must be positive`);
}

const maxCount = 100_000;

/** The value of the last argument, a literal, which must be positive; undefined for a parameter. */
function positiveLiteral({ args, function: called, at }: bound.Call): number | undefined {
  const number = args.at(-1);
  if (number?.kind === 'parameter') return undefined;
  const value = number?.kind === 'literal' ? Number(number.value) : Number.NaN;
  if (value >= 1 && value <= maxCount) return value;
  const name = called.name.toUpperCase();
  throw new QueryFault(`The last argument of ${name} must be a positive literal or parameter`, at);
}
