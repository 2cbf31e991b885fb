import { QueryFault } from '../../errors/query-fault.js';
import { holdsRecord, isPlain, typeName } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { isLiteralOrParameter, isNullLiteral } from '../bound/coerce.js';
import { maxMagnitude } from '../bound/magnitude.js';
import { checkRowCount } from '../duckdb-sql/check-count.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { letMacro, letOnce } from '../duckdb-sql/let.js';
import { mapList } from '../duckdb-sql/plain.js';
import { refuseTypes } from './compare.js';
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
      $count_star: ['-> INT64', (_, __, { over }) => countRows(over)],
      any_value: ['T -> T', anyValue],
      avg: [
        'INT64 -> FLOAT64 | FLOAT64 -> FLOAT64 | DECIMAL -> DECIMAL | INTERVAL -> INTERVAL',
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
      max_by: ['T, ANY -> T', extremeBy('MAX')],
      min: ['T -> T', extreme('min')],
      min_by: ['T, ANY -> T', extremeBy('MIN')],
      sum: ['INT64 -> INT64 | FLOAT64 -> FLOAT64 | DECIMAL -> DECIMAL | INTERVAL -> INTERVAL', sum],
    },
    { kind: 'aggregate' },
  ),
  ...defineFunctions(
    {
      array_agg: ['T -> ARRAY<T>', arrayAgg],
      array_concat_agg: ['ARRAY<T> -> ARRAY<T>', arrayConcatAgg],
      string_agg: ['TEXT, TEXT? -> TEXT', stringAgg],
    },
    { kind: 'aggregate', isOrdered: true },
  ),
];

function withOver(node: ReturnType<typeof d.call>, over: Clauses['over']) {
  return over === undefined ? node : { ...node, over };
}

/** Counts rows; DuckDB returns -1 or less for a frame that ends before it begins. */
function countRows(over: Clauses['over']): DuckExpression {
  const rows = withOver(d.countOfRows, over);
  const { start, end } = over?.frame ?? {};
  const mayBeReversed = start?.offset !== undefined && end?.offset !== undefined;
  if (!mayBeReversed || start?.kind !== end?.kind) return rows;
  return d.choose(d.infix('<', rows, d.integer(0)), d.integer(0), rows);
}

/**
 * `any_value(x having max y)` is the x of the row with the greatest y. If the compiler has added an order instead, it
 * is the least value. Of records, it is the one with the least key, as the key is no record.
 */
function anyValue(...[args, node, clauses]: Parameters<Emitter>) {
  const { having, orderBy } = clauses;
  if (having === undefined) {
    const key = firstKey(orderBy);
    if (key === undefined) return nativeAggregate('any_value')(args, node, clauses);
    // NULL is not chosen, but a stored array that is NULL is an empty one.
    const name = node.type.kind === 'ARRAY' && !isPlain(node.type) ? 'arg_min_null' : 'arg_min';
    const least = holdsRecord(node.type) ? d.call(name, ...args, key) : d.call('min', key);
    return withClauses(least, { ...clauses, orderBy: [] });
  }
  const keyed = { args: [...args, having.value], key: node.clauses?.having?.value };
  return atExtreme(having.kind, keyed, clauses);
}

interface KeyedValues {
  /** A value and its key. */
  readonly args: readonly DuckExpression[];
  /** The key before lowering. */
  readonly key: bound.Expression | undefined;
}

/** The value at the greatest or least key; NULL if a key is NaN: it is then the extreme, but equals no key. */
function atExtreme(kind: 'MAX' | 'MIN', { args, key }: KeyedValues, { over, orderBy }: Clauses) {
  const name = `arg_${kind.toLowerCase()}_null`;
  const found = withOver(d.call(name, ...withTotalKey(args, orderBy)), over);
  if (key === undefined || !mayBeNan(key)) return found;
  const isNan = withOver(d.call('bool_or', d.call('isnan', ...args.slice(1))), over);
  return d.choose(isNan, d.nullValue, found);
}

function firstKey([first]: Clauses['orderBy']): DuckExpression | undefined {
  return typeof first?.value === 'number' ? undefined : first?.value;
}

/** Extends the key by the order, if there is one, which decides between rows with the same extreme key. */
function withTotalKey(args: readonly DuckExpression[], orderBy: Clauses['orderBy']) {
  const [value = d.nullValue, key = d.nullValue] = args;
  const last = firstKey(orderBy);
  if (last === undefined) return args;
  const fields = [
    { name: 'key', value: key },
    { name: 'last', value: last },
  ];
  return [value, d.choose(d.isNotNull(key), { kind: 'struct', fields })];
}

function countIf(...[[condition = d.nullValue], node, clauses]: Parameters<Emitter>) {
  if (clauses.distinct) {
    const when = { when: condition, result: condition };
    return nativeAggregate('count')([{ kind: 'case', whens: [when] }], node, clauses);
  }
  return withOver({ ...d.countOfRows, filter: condition }, clauses.over);
}

/** MAX or MIN; NaN if any value is NaN. DuckDB sorts NaN above all numbers, so only its MIN needs a test. */
function extreme(name: 'max' | 'min'): Emitter {
  return (...[args, node, clauses]) => {
    const [arg] = node.args;
    refuseTypes(name.toUpperCase(), ['ARRAY', 'STRUCT', 'JSON'], node);
    const found = nativeAggregate(name)(args, node, clauses);
    if (name === 'max' || arg === undefined || !mayBeNan(arg)) return found;
    const isNan = withOver(d.call('bool_or', d.call('isnan', ...args)), clauses.over);
    return d.choose(isNan, d.castTo(d.text('NaN'), 'DOUBLE'), found);
  };
}

/** 1 if the row's grouping set does not contain the key. Lowering replaces the argument with the key it refers to. */
function grouping(...[args, { at }, { distinct, over }]: Parameters<Emitter>) {
  if (!distinct && over === undefined) return d.call('grouping', ...args);
  throw new QueryFault('GROUPING is supported without DISTINCT and OVER only', at);
}

function extremeBy(kind: 'MAX' | 'MIN'): Emitter {
  return (args, node, clauses) => atExtreme(kind, { args, key: node.args[1] }, clauses);
}

/** DuckDB sums INT64 and decimals in 128 bits, and cannot sum intervals. */
function sum(...[args, node, clauses]: Parameters<Emitter>) {
  const { kind } = node.type;
  if (kind === 'INTERVAL') return d.macro('interval_of', ...intervalSums(args, clauses));
  if (kind === 'FLOAT64') return finite('sum')(args, node, clauses);
  const added = nativeAggregate('sum')(args, node, clauses);
  return kind === 'INT64' ? d.castTo(added, 'BIGINT') : d.macro(`${kind.toLowerCase()}_sum`, added);
}

/** A FLOAT64 aggregate; an infinite result of finite values is an error. */
function finite(name: 'sum' | 'avg'): Emitter {
  return (args, node, clauses) => {
    const [value = d.nullValue] = args;
    const isExact = clauses.orderBy.length > 0 && !clauses.distinct;
    const found = isExact
      ? exactSum(name, value, clauses)
      : nativeAggregate(name)(args, node, clauses);
    const [arg] = node.args;
    if (arg === undefined || maxMagnitude(arg) < maxSummand) return found;
    const plain = { ...clauses, distinct: false, orderBy: [] };
    const allFinite = withClauses(d.call('bool_and', d.call('isfinite', value)), plain);
    const checked = (variables: readonly DuckExpression[]) => d.macro('finite_sum', ...variables);
    return letOnce([found, allFinite], checked, clauses.over === undefined ? undefined : 0);
  };
}

/**
 * A sum that does not depend on the order of its values: they are added as integers, without rounding. Values with too
 * many digits for that are added in order, which is slower.
 */
function exactSum(name: 'sum' | 'avg', value: DuckExpression, clauses: Clauses): DuckExpression {
  const plain = { ...clauses, orderBy: [] };
  const [units, parts] = ['sum_units', 'sum_parts'].map((part) =>
    withClauses(d.call('sum', d.macro(part, value)), plain),
  );
  const rest = d.macro('sum_rest', value);
  const ordered = clauses.over === undefined ? [{ value: rest, descending: false }] : [];
  const isOther = {
    kind: 'prefix',
    operator: 'NOT',
    operand: d.macro('is_summable', value),
  } as const;
  const others = withClauses(d.call('sum', rest), { ...clauses, orderBy: ordered }, isOther);
  const total = d.macro('exact_sum', units ?? d.nullValue, parts ?? d.nullValue, others);
  if (name === 'sum') return total;
  return d.macro('exact_avg', total, withClauses(d.call('count', value), plain));
}

/** The sum of fewer than 2^63 values below this limit cannot overflow. */
const maxSummand = Number.MAX_VALUE / 2 ** 64;

/**
 * AVG; of NUMERIC, it is rounded to nine digits; of INTERVAL, it comes from the sums of months, days and microseconds.
 */
function average(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  const { kind } = node.type;
  if (kind === 'FLOAT64') return finite('avg')(args, node, clauses);
  const number = nativeAggregate('count')(args, node, clauses);
  if (kind === 'INTERVAL') return d.macro('interval_avg', ...intervalSums(args, clauses), number);
  const total = nativeAggregate('sum')(args, node, clauses);
  const divisor = d.call('nullif', number, d.integer(0));
  return kind === 'BIGNUMERIC'
    ? letMacro('bignumeric_divide', total, d.castTo(divisor, duckType(node.type)))
    : d.macro('numeric_avg', total, divisor);
}

function intervalSums([value = d.nullValue]: readonly DuckExpression[], clauses: Clauses) {
  return ['interval_months', 'interval_days', 'interval_micros'].map((part) => {
    if (!clauses.distinct) return withClauses(d.call('sum', d.macro(part, value)), clauses);
    const values = withClauses(d.call('list', value), clauses);
    const parts = mapList(values, (one) => d.macro(part, one));
    return d.macro('list_total', parts);
  });
}

/** The clauses of a list; `hasNan` if it is ordered by its own values and one may be NaN. */
type ListClauses = Clauses & { readonly hasNan?: boolean };

/** Collects the values in a list, with NULLs unless IGNORE NULLS is set. */
function collectList(value: DuckExpression, clauses: ListClauses): DuckExpression {
  const { limit, orderBy, hasNan } = clauses;
  const filter = clauses.ignoreNulls ? d.isNotNull(value) : undefined;
  const kept = withClauses(d.call('list', value), { ...clauses, ignoreNulls: false }, filter);
  const descending = { kind: 'word', word: orderBy[0]?.descending ? 'TRUE' : 'FALSE' } as const;
  const sorted = hasNan ? d.macro('nan_lowest', kept, descending) : kept;
  return limit === undefined
    ? sorted
    : d.call('list_slice', sorted, d.integer(1), checkRowCount(limit));
}

function arrayAgg(...[[value = d.nullValue], node, clauses]: Parameters<Emitter>) {
  const [arg] = node.args;
  if (arg?.type.kind === 'ARRAY') {
    const message = `The argument to ARRAY_AGG must not be an array type but was ${typeName(arg.type)}`;
    throw new QueryFault(message, node.at);
  }
  const isSorted = clauses.distinct && clauses.orderBy.length > 0;
  return collectList(value, { ...clauses, hasNan: isSorted && arg !== undefined && mayBeNan(arg) });
}

/** ARRAY_CONCAT_AGG, which ignores NULL arrays. */
function arrayConcatAgg(...[[value = d.nullValue], , clauses]: Parameters<Emitter>) {
  return d.call('flatten', collectList(value, { ...clauses, ignoreNulls: true }));
}

/** STRING_AGG, which ignores NULLs; it is NULL if nothing is left. BYTES are joined as hexadecimal digits. */
function stringAgg(...[[value = d.nullValue, separator], node, clauses]: Parameters<Emitter>) {
  const between = separator ? checkSeparator(separator, node) : d.text(',');
  const list = collectList(value, { ...clauses, ignoreNulls: true });
  const { limit } = clauses;
  const isBytes = node.type.kind === 'BYTES';
  const joined = isBytes ? joinBytes(list, between) : d.call('array_to_string', list, between);
  return limit === undefined
    ? joined
    : d.choose(d.infix('>', checkRowCount(limit), d.integer(0)), joined);
}

function joinBytes(list: DuckExpression, separator: DuckExpression): DuckExpression {
  const digits = mapList(list, (bytes) => d.call('hex', bytes));
  return d.call('unhex', d.call('array_to_string', digits, d.call('hex', separator)));
}

/** Returns the separator, which must be a literal or a parameter, and not NULL. */
function checkSeparator(separator: DuckExpression, { args, type, at }: bound.Call): DuckExpression {
  const argument = args[1];
  if (argument === undefined || !isLiteralOrParameter(argument)) {
    throw new QueryFault('The separator of STRING_AGG must be a literal or a query parameter', at);
  }
  const message = 'Illegal NULL separator in STRING_AGG';
  if (isNullLiteral(argument)) throw new QueryFault(message, at);
  if (argument.kind === 'literal') return separator;
  return d.call('coalesce', separator, d.macro(`fail_${type.kind.toLowerCase()}`, d.text(message)));
}
