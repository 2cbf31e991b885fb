import { QueryFault } from '../../errors/query-fault.js';
import type { Type } from '../../types/types.js';
import type * as bound from '../bound/bound.js';
import { call, castTo, type DuckExpression, macro, nullValue } from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import {
  defineFunctions,
  type Emitter,
  macroWithLet,
  nativeFunction,
  nativeOperator,
} from './definition.js';
import { exactMacro, overflowToNull, round, trunc, unlessSafe } from './numeric.js';
import { checkOverflow } from './overflow.js';

const floats = 'FLOAT64 -> FLOAT64';
/** INT64 becomes FLOAT64 here, although NUMERIC would be the cheaper coercion. */
const real = 'INT64 -> FLOAT64 | DECIMAL -> DECIMAL | FLOAT64 -> FLOAT64';
const real2 = 'INT64, INT64 -> FLOAT64 | DECIMAL, DECIMAL -> DECIMAL | FLOAT64, FLOAT64 -> FLOAT64';
const whole2 = 'INT64, INT64 -> INT64 | DECIMAL, DECIMAL -> DECIMAL';
const digits = [
  'INT64 -> FLOAT64',
  'DECIMAL, INT64?, STRING? -> DECIMAL',
  'INT64, INT64 -> FLOAT64',
  'FLOAT64, INT64? -> FLOAT64',
].join(' | ');

const vectors = 'ARRAY<FLOAT64>, ARRAY<FLOAT64> -> FLOAT64';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/mathematical_functions */
export const mathFunctions = [
  ...defineFunctions({
    abs: ['NUMBER -> NUMBER', unlessSafe('abs', nativeFunction('abs'))],
    acos: [floats],
    acosh: [floats],
    asin: [floats],
    asinh: [floats, nativeFunction('asinh')],
    atan: [floats, nativeFunction('atan')],
    atan2: ['FLOAT64, FLOAT64 -> FLOAT64', nativeFunction('atan2')],
    atanh: [floats],
    cbrt: [floats],
    ceil: [real, asReal('ceil')],
    ceiling: [real, asReal('ceil')],
    cos: [floats],
    cosh: [floats],
    cosine_distance: [vectors],
    cot: [floats],
    coth: [floats],
    csc: [floats],
    csch: [floats],
    div: [whole2, exactMacro('div', macroWithLet('div'))],
    euclidean_distance: [vectors],
    exp: [real, throughDouble('exp')],
    floor: [real, asReal('floor')],
    greatest: ['T, T... -> T', greatest],
    ieee_divide: ['FLOAT64, FLOAT64 -> FLOAT64'],
    is_inf: ['FLOAT64 -> BOOL', nativeFunction('isinf')],
    is_nan: ['FLOAT64 -> BOOL', nativeFunction('isnan')],
    least: ['T, T... -> T', least],
    ln: [real, throughDouble('ln')],
    log: [`${real} | ${real2}`, logarithm],
    log10: [real, throughDouble('log10')],
    mod: [whole2, exactMacro('mod', macroWithLet('mod'))],
    pow: [real2, throughDouble('pow')],
    power: [real2, throughDouble('pow')],
    range_bucket: ['T, ARRAY<T> -> INT64'],
    round: [digits, round],
    safe_add: ['NUMBER, NUMBER -> NUMBER', nullOnOverflow('add', '+')],
    safe_divide: [
      real2,
      checkOverflow('/', overflowToNull('divide', macroWithLet('safe_divide')), nullValue),
    ],
    safe_multiply: ['NUMBER, NUMBER -> NUMBER', nullOnOverflow('multiply', '*')],
    safe_negate: [
      'NUMBER -> NUMBER',
      overflowToNull('negate', ([operand = nullValue]) => ({
        kind: 'prefix',
        operator: '-',
        operand,
      })),
    ],
    safe_subtract: ['NUMBER, NUMBER -> NUMBER', nullOnOverflow('subtract', '-')],
    sec: [floats],
    sech: [floats],
    sign: ['NUMBER -> NUMBER', sign],
    sin: [floats],
    sinh: [floats],
    sqrt: [real, throughDouble('sqrt')],
    tan: [floats],
    tanh: [floats, nativeFunction('tanh')],
    trunc: [digits, trunc],
  }),
  ...defineFunctions({ rand: ['-> FLOAT64', nativeFunction('random')] }, { isStable: false }),
];

/** Calls DuckDB's function and casts its result to the type of the signature. */
function asReal(name: string): Emitter {
  return (args, node) => castTo(call(name, ...args), duckType(node.type));
}

function sign(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  return (node.type.kind === 'FLOAT64' ? macroWithLet('sign_float64') : asReal('sign'))(
    args,
    node,
    clauses,
  );
}

/** Calls a macro on DOUBLE, also for NUMERIC: DuckDB computes these functions to fifteen digits only. */
function throughDouble(name: string): Emitter {
  return (args, node, clauses) => {
    refuseBigNumeric(node);
    const doubles = args.map((arg, i) => toDouble(arg, node.args[i]?.type));
    return fromDouble(macroWithLet(name)(doubles, node, clauses), node.type);
  };
}

function toDouble(value: DuckExpression, type: Type | undefined): DuckExpression {
  return type?.kind === 'FLOAT64' ? value : castTo(value, 'DOUBLE');
}

function fromDouble(value: DuckExpression, { kind }: Type): DuckExpression {
  return kind === 'NUMERIC' ? macro('float64_to_numeric', value) : value;
}

/** BigQuery computes these functions to 38 digits after the point, which neither a DOUBLE nor a decimal has here. */
function refuseBigNumeric({ type, function: { name }, at }: bound.Call): void {
  if (type.kind !== 'BIGNUMERIC') return;
  const message = `${name.toUpperCase()} of BIGNUMERIC is not supported: cast its arguments to FLOAT64 or NUMERIC`;
  throw new QueryFault(message, at);
}

function logarithm(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  return throughDouble(args.length === 1 ? 'ln' : 'log')(args, node, clauses);
}

function nullOnOverflow(name: string, operator: string): Emitter {
  return overflowToNull(name, checkOverflow(operator, nativeOperator(operator), nullValue));
}

/** NULL if any argument is NULL. NaN is the greatest value, in DuckDB as in BigQuery's GREATEST. */
function greatest(args: readonly DuckExpression[]): DuckExpression {
  return macro('greatest', { kind: 'list', elements: args });
}

function least(...[args, { type }]: Parameters<Emitter>): DuckExpression {
  const name = type.kind === 'FLOAT64' ? 'least_float64' : 'least';
  return macro(name, { kind: 'list', elements: args });
}
