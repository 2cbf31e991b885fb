import { QueryFault } from '../../errors/query-fault.js';
import { typeName } from '../../types/types.js';
import type { BoundExpression } from '../bound/bound.js';
import { isLiteralOrParameter } from '../bound/coerce.js';
import { checkRowCount } from '../duckdb-sql/check-count.js';
import {
  call,
  castTo,
  choose,
  type DuckCall,
  type DuckExpression,
  duckNull,
  integer,
  isNotNull,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { mapList } from '../duckdb-sql/plain.js';
import {
  type Clauses,
  defineFunctions,
  type Emitter,
  nativeAggregate,
  withClauses,
} from './definition.js';
import { mayBeNan } from './nan.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/aggregate_functions */
export const aggregateFunctions = [
  ...defineFunctions(
    {
      $count_star: ['-> INT64', (_, __, { over }) => withOver(call('count', star), over)],
      any_value: ['T -> T', anyValue],
      avg: [
        'INT64 -> FLOAT64 | FLOAT64 -> FLOAT64 | NUMERIC -> NUMERIC | BIGNUMERIC -> BIGNUMERIC | INTERVAL -> INTERVAL',
        average,
      ],
      bit_and: ['INT64 -> INT64', nativeAggregate('bit_and')],
      bit_or: ['INT64 -> INT64', nativeAggregate('bit_or')],
      bit_xor: ['INT64 -> INT64', nativeAggregate('bit_xor')],
      count: ['ANY -> INT64', nativeAggregate('count')],
      countif: ['BOOL -> INT64', countIf],
      grouping: ['ANY -> INT64', grouping],
      logical_and: ['BOOL -> BOOL', nativeAggregate('bool_and')],
      logical_or: ['BOOL -> BOOL', nativeAggregate('bool_or')],
      max: ['T -> T', extreme('max')],
      max_by: ['T, ANY -> T', extremeBy('arg_max_null')],
      min: ['T -> T', extreme('min')],
      min_by: ['T, ANY -> T', extremeBy('arg_min_null')],
      sum: [
        'INT64 -> INT64 | FLOAT64 -> FLOAT64 | NUMERIC -> NUMERIC | BIGNUMERIC -> BIGNUMERIC | INTERVAL -> INTERVAL',
        sum,
      ],
    },
    { kind: 'aggregate' },
  ),
  ...defineFunctions(
    {
      array_agg: ['T -> ARRAY<T>', arrayAgg],
      array_concat_agg: ['ARRAY<T> -> ARRAY<T>', arrayConcatAgg],
      string_agg: ['STRING, STRING? -> STRING | BYTES, BYTES? -> BYTES', stringAgg],
    },
    { kind: 'aggregate', isOrdered: true },
  ),
];

const star = { kind: 'word', word: '*' } as const;

function withOver(node: ReturnType<typeof call>, over: Clauses['over']) {
  return over === undefined ? node : { ...node, over };
}

/** `any_value(x having max y)` is the x of the row with the greatest y. */
function anyValue(...[args, node, clauses]: Parameters<Emitter>) {
  const { having } = clauses;
  if (having === undefined) return nativeAggregate('any_value')(args, node, clauses);
  const name = having.kind === 'MAX' ? 'arg_max_null' : 'arg_min_null';
  return atExtreme(
    name,
    { args: [...args, having.value], key: node.clauses?.having?.value },
    clauses,
  );
}

type ExtremeName = 'arg_max_null' | 'arg_min_null';

interface KeyedValues {
  /** A value and its key. */
  readonly args: readonly DuckExpression[];
  /** The key before lowering. */
  readonly key: BoundExpression | undefined;
}

/** The value at the greatest or least key; NULL if a key is NaN, which is the extreme then, but equals no key. */
function atExtreme(name: ExtremeName, { args, key }: KeyedValues, { over }: Clauses) {
  const found = withOver(call(name, ...args), over);
  if (key === undefined || !mayBeNan(key)) return found;
  const isNan = withOver(call('bool_or', call('isnan', ...args.slice(1))), over);
  return choose(isNan, duckNull, found);
}

function countIf(...[[condition = duckNull], node, clauses]: Parameters<Emitter>) {
  if (clauses.distinct) {
    const when = { when: condition, result: condition };
    return nativeAggregate('count')([{ kind: 'case', whens: [when] }], node, clauses);
  }
  return withOver({ ...call('count', star), filter: condition }, clauses.over);
}

/** MAX and MIN are NaN if any value is NaN. DuckDB sorts NaN above all numbers, so only its MIN needs a test. */
function extreme(name: 'max' | 'min'): Emitter {
  return (...[args, node, clauses]) => {
    const [arg] = node.args;
    refuseType(name, node, ['ARRAY', 'STRUCT', 'JSON']);
    const found = nativeAggregate(name)(args, node, clauses);
    if (name === 'max' || arg === undefined || !mayBeNan(arg)) return found;
    const isNan = withOver(call('bool_or', call('isnan', ...args)), clauses.over);
    return choose(isNan, castTo(text('NaN'), 'DOUBLE'), found);
  };
}

/** 1 if the row's grouping set does not contain the key. Lowering replaces the argument with the key it refers to. */
function grouping(...[args, { at }, { distinct, over }]: Parameters<Emitter>) {
  if (!distinct && over === undefined) return call('grouping', ...args);
  throw new QueryFault('GROUPING is supported without DISTINCT and OVER only', at);
}

function extremeBy(name: ExtremeName): Emitter {
  return (args, node, clauses) => atExtreme(name, { args, key: node.args[1] }, clauses);
}

function refuseType(name: string, { args, at }: Parameters<Emitter>[1], kinds: readonly string[]) {
  const [arg] = args;
  if (arg === undefined || !kinds.includes(arg.type.kind)) return;
  const message = `${name.toUpperCase()} is not defined for arguments of type ${typeName(arg.type)}`;
  throw new QueryFault(message, at);
}

/** DuckDB sums INT64 in 128 bits, and cannot sum intervals. */
function sum(...[args, node, clauses]: Parameters<Emitter>) {
  if (node.type.kind === 'INTERVAL') return macro('interval_of', ...intervalSums(args, clauses));
  const added = nativeAggregate('sum')(args, node, clauses);
  return node.type.kind === 'INT64' ? castTo(added, 'BIGINT') : added;
}

/** Averages of NUMERIC are rounded to nine digits; those of INTERVAL are taken of months, days and microseconds. */
function average(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  const { kind } = node.type;
  if (kind === 'FLOAT64') return nativeAggregate('avg')(args, node, clauses);
  const number = nativeAggregate('count')(args, node, clauses);
  if (kind === 'INTERVAL') return macro('interval_avg', ...intervalSums(args, clauses), number);
  const total = nativeAggregate('sum')(args, node, clauses);
  return macro('numeric_avg', total, call('nullif', number, integer(0)));
}

function intervalSums([value = duckNull]: readonly DuckExpression[], clauses: Clauses) {
  return ['interval_months', 'interval_days', 'interval_micros'].map((part) =>
    withClauses(call('sum', macro(part, value)), clauses),
  );
}

/** The values as a list. It contains NULLs, except with IGNORE NULLS. */
function listOf(value: DuckExpression, clauses: Clauses): DuckExpression {
  const list = withClauses(call('list', value), { ...clauses, ignoreNulls: false });
  const kept: DuckCall = clauses.ignoreNulls ? { ...list, filter: isNotNull(value) } : list;
  const { limit } = clauses;
  return limit === undefined ? kept : call('list_slice', kept, integer(1), checkRowCount(limit));
}

function arrayAgg(...[[value = duckNull], node, clauses]: Parameters<Emitter>) {
  const [arg] = node.args;
  if (arg?.type.kind === 'ARRAY') {
    const message = `The argument to ARRAY_AGG must not be an array type but was ${typeName(arg.type)}`;
    throw new QueryFault(message, node.at);
  }
  return listOf(value, clauses);
}

/** Ignores arrays that are NULL. */
function arrayConcatAgg(...[[value = duckNull], , clauses]: Parameters<Emitter>) {
  return call('flatten', listOf(value, { ...clauses, ignoreNulls: true }));
}

/** Ignores NULLs; the result is NULL if nothing is left. BYTES are joined as hexadecimal digits. */
function stringAgg(...[[value = duckNull, separator], node, clauses]: Parameters<Emitter>) {
  const { type } = node;
  const argument = node.args[1];
  if (argument !== undefined && !isLiteralOrParameter(argument)) {
    const message = 'The separator of STRING_AGG must be a literal or a query parameter';
    throw new QueryFault(message, node.at);
  }
  const list = listOf(value, { ...clauses, ignoreNulls: true });
  if (type.kind !== 'BYTES') return call('array_to_string', list, separator ?? text(','));
  const digits = mapList(list, (bytes) => call('hex', bytes));
  const between = separator === undefined ? text('2C') : call('hex', separator);
  return call('unhex', call('array_to_string', digits, between));
}
