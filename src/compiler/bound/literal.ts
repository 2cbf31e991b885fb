import { QueryFault } from '../../errors/query-fault.js';
import { type ScalarName, scalar, type Type, typeName } from '../../types/type.js';
import type { BoundExpression } from './bound.js';
import { readDate, readDateTime, readTime, readTimestamp } from './civil.js';

type BoundLiteral = Extract<BoundExpression, { readonly kind: 'literal' }>;

/**
 * A literal as a value of another type: `'2026-03-01'` as a TIMESTAMP, `1` as a FLOAT64.
 * @throws QueryFault where the text is no value of the type
 */
export function readLiteral(literal: BoundLiteral, to: Type, at: number): BoundLiteral {
  if (literal.value === null) return { ...literal, type: to };
  const read = readers[to.kind as ScalarName];
  const value = read === undefined ? undefined : read(literal.value.trim(), literal.type.kind);
  if (value === undefined) throw badLiteral(literal.value, literal.type, to, at);
  return { kind: 'literal', value, type: to };
}

/** A literal of the text, its value in the form that {@link readLiteral} gives. */
export function literalOf(kind: ScalarName, value: string): BoundLiteral {
  return { kind: 'literal', value, type: scalar(kind) };
}

type Reader = (value: string, from: string) => string | undefined;

const readers: Partial<Record<ScalarName, Reader>> = {
  BOOL: (value) => (/^(true|false)$/i.test(value) ? value.toLowerCase() : undefined),
  INT64: readInteger,
  FLOAT64: (value) => (/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(value) ? value : undefined),
  NUMERIC: readDecimal(29, 9),
  BIGNUMERIC: readDecimal(30, 8),
  STRING: (value, from) => (from === 'BYTES' ? undefined : value),
  BYTES: (value) => Buffer.from(value, 'utf8').toString('latin1'),
  DATE: readDate,
  DATETIME: readDateTime,
  TIME: readTime,
  TIMESTAMP: readTimestamp,
  JSON: readJson,
};

/** Decimal digits of an integer given in decimal or hexadecimal, where it fits 64 bits. */
export function readInteger(value: string): string | undefined {
  if (!/^[-+]?(\d+|0x[0-9a-f]+)$/i.test(value)) return undefined;
  const negative = value.startsWith('-');
  const size = BigInt(value.replace(/^[-+]/, ''));
  const number = negative ? -size : size;
  return BigInt.asIntN(64, number) === number ? String(number) : undefined;
}

/** A number with so many digits before the point, and behind it where a text says them. */
function readDecimal(whole: number, behind: number): Reader {
  return (value, from) => {
    const [, digits = '', fraction = '', power = '0'] =
      /^[-+]?(?=\.?\d)(\d*)\.?(\d*)(?:e([-+]?\d{1,4}))?$/i.exec(value) ?? [];
    if (digits === '' && fraction === '') return undefined;
    const significant = (digits + fraction).replace(/^0+/, '');
    const decimals = fraction.length - Number(power);
    if (significant.length - decimals > whole) return undefined;
    const needed = decimals - (/0*$/.exec(digits + fraction)?.[0].length ?? 0);
    return from === 'FLOAT64' || needed <= behind ? value : undefined;
  };
}

function readJson(value: string): string | undefined {
  try {
    JSON.parse(value);
    return value;
  } catch {
    return undefined;
  }
}

/** BIGNUMERIC is narrower here than BigQuery's own. */
const limits = {
  NUMERIC: '',
  BIGNUMERIC: ' (at most 30 digits before the point and 8 behind it are supported)',
} as const;

function badLiteral(value: string, from: Type, to: Type, at: number): QueryFault {
  const quoted = from.kind === 'STRING' ? `"${value}"` : value;
  const isDecimal = to.kind === 'NUMERIC' || to.kind === 'BIGNUMERIC';
  if (from.kind === 'STRING' && isDecimal) {
    return new QueryFault(`Invalid ${to.kind} literal: ${quoted}${limits[to.kind]}`, at);
  }
  const message =
    from.kind === 'STRING' && ['DATE', 'DATETIME', 'TIME', 'TIMESTAMP'].includes(to.kind)
      ? `Invalid ${to.kind} string literal ${quoted}`
      : `Could not cast literal ${quoted} to type ${typeName(to)}`;
  return new QueryFault(message, at);
}
