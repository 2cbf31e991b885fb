import { QueryFault } from '../../errors/query-fault.js';
import type * as bound from '../bound/bound.js';
import type { DuckExpression } from '../duckdb-sql/duckdb-sql.js';
import * as d from '../duckdb-sql/duckdb-sql.js';
import { duckType } from '../duckdb-sql/duckdb-type.js';
import { letMacro, letOnce } from '../duckdb-sql/let.js';
import { defineFunctions, type Emitter } from './definition.js';

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/conversion_functions#parse_numeric */
export const numericFunctions = defineFunctions({
  parse_bignumeric: ['STRING -> BIGNUMERIC'],
  parse_numeric: ['STRING -> NUMERIC'],
});

/** Calls the macro `numeric_<name>` or `bignumeric_<name>` for an exact result, and `emit` for others. */
export function exactMacro(name: string, emit: Emitter): Emitter {
  return (args, node, clauses) => {
    const { kind } = node.type;
    if (kind !== 'NUMERIC' && kind !== 'BIGNUMERIC') return emit(args, node, clauses);
    return d.castTo(letMacro(`${kind.toLowerCase()}_${name}`, ...args), duckType(node.type));
  };
}

/**
 * Arithmetic that returns NULL on overflow if the call is safe; for calls of macros, see `totalForm`. A caller cannot write
 * SAFE with operators, but the compiler makes `+` and `-` of constants in a time window safe.
 */
export function unlessSafe(name: string, emit: Emitter): Emitter {
  const total = overflowToNull(name, emit);
  return (args, node, clauses) => (node.safe ? total : emit)(args, node, clauses);
}

/** Calls the total macro of an operation on exact numbers, which returns NULL on overflow, and `emit` for others. */
export function overflowToNull(name: string, emit: Emitter): Emitter {
  return (args, node, clauses) => {
    const prefix = node.args.every(({ type }) => type.kind === node.type.kind)
      ? prefixes[node.type.kind]
      : undefined;
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
export function round(...[args, node]: Parameters<Emitter>): DuckExpression {
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
export function trunc(...[args, node]: Parameters<Emitter>): DuckExpression {
  const [value = d.nullValue, places] = args;
  if (node.type.kind === 'FLOAT64') return roundDouble('trunc', value, places);
  return d.castTo(d.call('trunc', value, d.integer(literalDigits(node))), duckType(node.type));
}

function roundDouble(
  name: 'round' | 'trunc',
  value: DuckExpression,
  places: DuckExpression | undefined,
): DuckExpression {
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
