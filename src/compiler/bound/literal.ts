import { QueryFault } from '../../errors/query-fault.js';
import { forRanges, isRange } from '../../types/ranges.js';
import { type ScalarName, scalar, type Type, typeName } from '../../types/types.js';
import { normalizeJson } from '../../values/normalize-json.js';
import { ValueFault } from '../../values/value-fault.js';
import type * as bound from './bound.js';
import {
  parseDateLiteral,
  parseDateTime,
  parseRange,
  parseTimeLiteral,
  parseTimestampLiteral,
} from './parse-time.js';

type BoundLiteral = bound.ExpressionOf<'literal'>;

/**
 * Converts a literal to another type: `'2026-03-01'` to a TIMESTAMP, `1` to a FLOAT64.
 * @throws QueryFault if the string is not a value of the type
 */
export function convertLiteral(literal: BoundLiteral, to: Type, at: number): BoundLiteral {
  if (literal.value === null) return { ...literal, type: to };
  // Space around a range is an error, as it is in a cast.
  const text = isRange(to) ? literal.value : literal.value.trim();
  const value = parsers[to.kind]?.(text, literal.type.kind);
  if (value === undefined) throw badLiteral(literal.value, literal.type, to, at);
  return { kind: 'literal', value, type: to };
}

/** A literal; `value` is in the notation that {@link convertLiteral} returns. */
export function boundLiteral(kind: ScalarName, value: string): BoundLiteral {
  return { kind: 'literal', value, type: scalar(kind) };
}

/** Parses the value of a literal of another type; undefined if it is invalid. */
type Parser = (value: string, from: string) => string | undefined;

const parsers: Partial<Record<Type['kind'], Parser>> = {
  BOOL: (value) => (/^(true|false)$/i.test(value) ? value.toLowerCase() : undefined),
  INT64: parseInteger,
  FLOAT64: (value) => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value) ? value : undefined),
  NUMERIC: (value, from) => parseDecimal('NUMERIC', value, from),
  BIGNUMERIC: (value, from) => parseDecimal('BIGNUMERIC', value, from),
  STRING: (value, from) => (from === 'BYTES' ? undefined : value),
  BYTES: (value) => Buffer.from(value, 'utf8').toString('latin1'),
  DATE: parseDateLiteral,
  DATETIME: parseDateTime,
  TIME: parseTimeLiteral,
  TIMESTAMP: parseTimestampLiteral,
  JSON: parseJson,
  ...forRanges((element) => (value: string) => parseRange(value, element)),
};

/** Converts a decimal or hexadecimal integer to decimal; undefined unless it fits into 64 bits. */
export function parseInteger(value: string): string | undefined {
  if (!/^[-+]?(\d+|0x[0-9a-f]+)$/i.test(value)) return undefined;
  const negative = value.startsWith('-');
  const size = BigInt(value.replace(/^[-+]/, ''));
  const number = negative ? -size : size;
  return BigInt.asIntN(64, number) === number ? String(number) : undefined;
}

/** The maximum number of digits before and after the decimal point. Here, a BIGNUMERIC has fewer than in BigQuery. */
const decimalDigits = {
  NUMERIC: { before: 29, after: 9 },
  BIGNUMERIC: { before: 30, after: 8 },
} as const;

/**
 * Returns the string if it is a number that fits the type; undefined otherwise. Extra digits after the point
 * are allowed, and rounded, only if a FLOAT64 literal becomes a NUMERIC: BigQuery's BIGNUMERIC would keep them.
 */
export function parseDecimal(
  kind: keyof typeof decimalDigits,
  value: string,
  from: string,
): string | undefined {
  const { before, after } = decimalDigits[kind];
  const [, digits = '', fraction = '', power = '0'] =
    /^[-+]?(?=\.?\d)(\d*)\.?(\d*)(?:e([-+]?\d{1,4}))?$/i.exec(value) ?? [];
  if (digits === '' && fraction === '') return undefined;
  const significant = (digits + fraction).replace(/^0+/, '');
  const decimals = fraction.length - Number(power);
  if (significant.length - decimals > before) return undefined;
  const needed = decimals - (/0*$/.exec(digits + fraction)?.[0].length ?? 0);
  const isRounded = from === 'FLOAT64' && kind === 'NUMERIC';
  if (!isRounded && needed > after) return undefined;
  return power === '0'
    ? value
    : withoutPower(value, digits + fraction, digits.length + Number(power));
}

/** The digits with the point at its place: DuckDB's cast of a string with an exponent to a decimal rounds wrongly. */
function withoutPower(value: string, digits: string, place: number): string {
  const sign = value.startsWith('-') ? '-' : '';
  if (place <= 0) return `${sign}0.${'0'.repeat(Math.min(-place, 50))}${digits}`;
  // Zeros alone may have any exponent.
  const whole = digits.slice(0, place).padEnd(Math.min(place, 50), '0');
  return `${sign}${whole}.${digits.slice(place) || '0'}`;
}

function parseJson(value: string): string | undefined {
  try {
    return normalizeJson(value, 'round');
  } catch (error) {
    if (error instanceof ValueFault) return undefined;
    throw error;
  }
}

const limits = {
  NUMERIC: '',
  BIGNUMERIC: ' (at most 30 digits before the point and 8 after it are supported)',
} as const;

function badLiteral(value: string, from: Type, to: Type, at: number): QueryFault {
  const quoted = from.kind === 'STRING' ? `"${value}"` : value;
  const isDecimal = to.kind === 'NUMERIC' || to.kind === 'BIGNUMERIC';
  if (from.kind === 'STRING' && isDecimal) {
    return new QueryFault(`Invalid ${to.kind} literal: ${quoted}${limits[to.kind]}`, at);
  }
  if (isRange(to)) {
    const form = 'write it as "[START, END)", with START before END';
    return new QueryFault(`Invalid RANGE literal value: ${quoted}; ${form}`, at);
  }
  const message =
    from.kind === 'STRING' && ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'].includes(to.kind)
      ? `Invalid ${to.kind} string literal ${quoted}`
      : `Could not cast literal ${quoted} to type ${typeName(to)}${isDecimal ? limits[to.kind] : ''}`;
  return new QueryFault(message, at);
}
