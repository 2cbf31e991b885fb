import { call, castTo, duckNull, isNotNull, text } from '../duck.js';
import { aggregate, type Clauses, type How, rows, withClauses } from './row.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions */
export const aggregateFunctions = [
  ...rows(
    {
      $count_star: ['-> INT64', (_, __, { over }) => withOver(call('count', star), over)],
      any_value: ['T -> T', anyValue],
      avg: ['FLOAT64 -> FLOAT64', aggregate('avg')],
      count: ['ANY -> INT64', aggregate('count')],
      countif: ['BOOL -> INT64', countIf],
      logical_and: ['BOOL -> BOOL', aggregate('bool_and')],
      logical_or: ['BOOL -> BOOL', aggregate('bool_or')],
      max: ['T -> T', aggregate('max')],
      min: ['T -> T', aggregate('min')],
      sum: [
        'INT64 -> INT64 | FLOAT64 -> FLOAT64 | NUMERIC -> NUMERIC | BIGNUMERIC -> BIGNUMERIC',
        sum,
      ],
    },
    { kind: 'aggregate' },
  ),
  ...rows(
    {
      array_agg: ['T -> ARRAY<T>', arrayAgg],
      string_agg: ['STRING, STRING? -> STRING', stringAgg],
    },
    { kind: 'aggregate', isOrdered: true },
  ),
];

const star = { kind: 'word', word: '*' } as const;

function withOver(node: ReturnType<typeof call>, over: Clauses['over']) {
  return over === undefined ? node : { ...node, over };
}

/** `any_value(x having max y)` is the x of the greatest y. */
function anyValue(...[args, bound, clauses]: Parameters<How>) {
  const { having } = clauses;
  if (having === undefined) return aggregate('any_value')(args, bound, clauses);
  const name = having.kind === 'MAX' ? 'arg_max_null' : 'arg_min_null';
  return withOver(call(name, ...args, having.value), clauses.over);
}

function countIf(...[[condition = duckNull], bound, clauses]: Parameters<How>) {
  if (clauses.distinct) {
    const when = { when: condition, result: condition };
    return aggregate('count')([{ kind: 'case', whens: [when] }], bound, clauses);
  }
  return withOver({ ...call('count', star), filter: condition }, clauses.over);
}

/** DuckDB adds INT64 up in 128 bits. */
function sum(...[args, bound, clauses]: Parameters<How>) {
  const added = aggregate('sum')(args, bound, clauses);
  return bound.type.kind === 'INT64' ? castTo(added, 'BIGINT') : added;
}

function arrayAgg(...[[value = duckNull], _, clauses]: Parameters<How>) {
  const { limit, ignoreNulls } = clauses;
  const list = withClauses(call('list', value), { ...clauses, ignoreNulls: false });
  const filtered = ignoreNulls ? { ...list, filter: isNotNull(value) } : list;
  return limit === undefined ? filtered : call('list_slice', filtered, one, limit);
}

const one = { kind: 'number', digits: '1' } as const;

/** NULLs are left out; none left is NULL. */
function stringAgg(...[[value = duckNull, separator = text(',')], _, clauses]: Parameters<How>) {
  const list = withClauses(call('list', value), { ...clauses, ignoreNulls: false });
  const some = { ...list, filter: isNotNull(value) };
  const { limit } = clauses;
  const kept = limit === undefined ? some : call('list_slice', some, one, limit);
  return call('array_to_string', kept, separator);
}
