import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { letMacro, letOnce } from '../duckdb-sql/let.js';
import {
  byResult,
  defineFunctions,
  type Emitter,
  macroWithLet,
  nativeFunction,
  nativeOperator,
} from './definition.js';
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
    greatest: ['T, T... -> T', listMacro('greatest')],
    ieee_divide: ['FLOAT64, FLOAT64 -> FLOAT64'],
    is_inf: ['FLOAT64 -> BOOL', nativeFunction('isinf')],
    is_nan: ['FLOAT64 -> BOOL', nativeFunction('isnan')],
    least: ['T, T... -> T', byResult({ FLOAT64: listMacro('least_float64') }, listMacro('least'))],
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
      checkOverflow('/', overflowToNull('divide', macroWithLet('safe_divide')), d.nullValue),
    ],
    safe_multiply: ['NUMBER, NUMBER -> NUMBER', nullOnOverflow('multiply', '*')],
    safe_negate: [
      'NUMBER -> NUMBER',
      overflowToNull('negate', ([operand = d.nullValue]) => ({
        kind: 'prefix',
        operator: '-',
        operand,
      })),
    ],
    safe_subtract: ['NUMBER, NUMBER -> NUMBER', nullOnOverflow('subtract', '-')],
    sec: [floats],
    sech: [floats],
    sign: ['NUMBER -> NUMBER', byResult({ FLOAT64: macroWithLet('sign_float64') }, asReal('sign'))],
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
  return (args, node) => d.castTo(d.call(name, ...args), duckType(node.type));
}

/** Calls a macro on DOUBLE, also for NUMERIC: DuckDB computes these functions to fifteen digits only. */
function throughDouble(name: string): Emitter {
  return (args, node) => {
    refuseBigNumeric(node);
    const doubles = args.map((arg, i) =>
      node.args[i]?.type.kind === 'FLOAT64' ? arg : d.castTo(arg, 'DOUBLE'),
    );
    const result = letMacro(name, ...doubles);
    return node.type.kind === 'NUMERIC' ? d.macro('float64_to_numeric', result) : result;
  };
}

/** BigQuery computes these functions to 38 decimal places; DuckDB's types have fewer. */
function refuseBigNumeric({ type, function: { name }, at }: bound.Call): void {
  if (type.kind !== 'BIGNUMERIC') return;
  const message = `${name.toUpperCase()} of BIGNUMERIC is not supported: cast its arguments to FLOAT64 or NUMERIC`;
  throw new QueryFault(message, at);
}

function logarithm(...[args, node, clauses]: Parameters<Emitter>): DuckExpression {
  return throughDouble(args.length === 1 ? 'ln' : 'log')(args, node, clauses);
}

function nullOnOverflow(name: string, operator: string): Emitter {
  return overflowToNull(name, checkOverflow(operator, nativeOperator(operator), d.nullValue));
}

/** GREATEST and LEAST: NULL if any argument is NULL. NaN is the greatest value, in DuckDB as in BigQuery's GREATEST. */
function listMacro(name: string): Emitter {
  return (args) => d.macro(name, { kind: 'list', elements: args });
}

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_functions#parse_numeric */
export const numericFunctions = defineFunctions({
  parse_bignumeric: ['STRING -> BIGNUMERIC'],
  parse_numeric: ['STRING -> NUMERIC'],
});

/** Calls the macro `numeric_<name>` or `bignumeric_<name>` for an exact result, and `emit` for others. */
export function exactMacro(name: string, emit: Emitter): Emitter {
  const exact: Emitter = (args, { type }) =>
    d.castTo(letMacro(`${type.kind.toLowerCase()}_${name}`, ...args), duckType(type));
  return byResult({ NUMERIC: exact, BIGNUMERIC: exact }, emit);
}

/**
 * Arithmetic that returns NULL on overflow if the call is safe; for calls of macros, see `totalForm`. A caller cannot
 * write SAFE with operators, but the compiler makes `+` and `-` of constants in a time window safe.
 */
export function unlessSafe(name: string, emit: Emitter): Emitter {
  const total = overflowToNull(name, emit);
  return (args, node, clauses) => (node.safe ? total : emit)(args, node, clauses);
}

/** Calls the total macro of an operation on exact numbers, which returns NULL on overflow, and `emit` for others. */
function overflowToNull(name: string, emit: Emitter): Emitter {
  return (args, node, clauses) => {
    const isUniform = node.args.every(({ type }) => type.kind === node.type.kind);
    const prefix = isUniform ? prefixes[node.type.kind] : undefined;
    const isUnary = args.length === 1;
    if (prefix === undefined || (isUnary && prefix !== '')) return emit(args, node, clauses);
    return letMacro(`safe_${prefix}${name}`, ...args);
  };
}

const prefixes: Readonly<Record<string, string>> = {
  BIGNUMERIC: 'bignumeric_',
  INT64: '',
  NUMERIC: 'numeric_',
};

/** `ROUND(x, digits, mode)`: rounds half away from zero, or half to even if the mode says so. */
function round(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = d.nullValue, places] = args;
  if (node.type.kind === 'FLOAT64') return roundDouble('round', value, places);
  const digits = literalDigits(node);
  if (!isHalfEven(node)) {
    return d.castTo(d.call('round', value, d.integer(digits)), duckType(node.type));
  }
  const unit: DuckExpression = { kind: 'number', digits: powerOfTen(-digits) };
  const even = letOnce([value], ([x = d.nullValue]) =>
    d.macro('round_even_decimal', x, d.integer(digits), unit),
  );
  return d.castTo(even, duckType(node.type));
}

/** `TRUNC(x, digits)`: rounds towards zero. */
function trunc(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = d.nullValue, places] = args;
  if (node.type.kind === 'FLOAT64') return roundDouble('trunc', value, places);
  return d.castTo(d.call('trunc', value, d.integer(literalDigits(node))), duckType(node.type));
}

function roundDouble(name: string, value: DuckExpression, places?: DuckExpression) {
  const real = d.castTo(value, 'DOUBLE');
  return places === undefined ? d.call(name, real) : d.macro(`${name}_float64`, real, places);
}

/** DuckDB rounds decimals to a constant number of digits only. */
function literalDigits({ args, at }: bound.Call): number {
  const places = args[1];
  if (places === undefined) return 0;
  if (places.kind !== 'literal' || places.value === null) {
    throw new QueryFault('The digits of a NUMERIC must be a literal here', at);
  }
  return Math.max(-38, Math.min(9, Number(places.value)));
}

function isHalfEven({ args, at }: bound.Call): boolean {
  const mode = args[2];
  if (mode === undefined) return false;
  const value = mode.kind === 'literal' ? mode.value : undefined;
  if (value === 'ROUND_HALF_EVEN') return true;
  if (value === 'ROUND_HALF_AWAY_FROM_ZERO') return false;
  throw new QueryFault(`Invalid rounding_mode: ${value ?? 'it must be a literal'}`, at);
}

function powerOfTen(exponent: number): string {
  return exponent >= 0 ? `1${'0'.repeat(exponent)}` : `0.${'0'.repeat(-exponent - 1)}1`;
}
