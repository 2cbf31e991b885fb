/** A decimal number: `units / 10 ** scale`. A FLOAT64 has up to 1,074 digits after the point. */
export interface Decimal {
  readonly isNegative: boolean;
  /** The digits as one number, never negative. */
  readonly units: bigint;
  readonly scale: number;
  /** Whether ties round to even, as for FLOAT64, and not away from zero. */
  readonly isFloat: boolean;
}

/** A decimal number, or `inf` or `nan`. */
export type Parsed = Decimal | { readonly isNegative: boolean; readonly special: 'inf' | 'nan' };

/** Parses an INT64, a NUMERIC or a BIGNUMERIC, or a FLOAT64, as DuckDB prints it. */
export function parseNumber(text: string, isFloat: boolean): Parsed {
  if (isFloat) return exactDigits(Number(text.replace('inf', 'Infinity')));
  const [whole = '', fraction = ''] = text.replace('-', '').split('.');
  const isNegative = text.startsWith('-');
  return { isNegative, units: BigInt(whole + fraction), scale: fraction.length, isFloat };
}

const fractionBits = 52n;
const bias = 1075;

/** The exact digits of a FLOAT64: `m * 2 ** -e` is `m * 5 ** e / 10 ** e`. */
function exactDigits(value: number): Parsed {
  if (Number.isNaN(value)) return { isNegative: false, special: 'nan' };
  const isNegative = value < 0;
  if (!Number.isFinite(value)) return { isNegative, special: 'inf' };
  const bits = new BigUint64Array(Float64Array.of(Math.abs(value)).buffer)[0] ?? 0n;
  const power = Number(bits >> fractionBits);
  const fraction = bits & ((1n << fractionBits) - 1n);
  const mantissa = power === 0 ? fraction : fraction | (1n << fractionBits);
  const exponent = Math.max(power, 1) - bias;
  if (exponent >= 0) {
    return { isNegative, units: mantissa << BigInt(exponent), scale: 0, isFloat: true };
  }
  let zeros = 0;
  while (zeros < -exponent && ((mantissa >> BigInt(zeros)) & 1n) === 0n && mantissa > 0n) zeros++;
  const scale = mantissa === 0n ? 0 : -exponent - zeros;
  const units = (mantissa >> BigInt(zeros)) * 5n ** BigInt(scale);
  return { isNegative, units, scale, isFloat: true };
}

/** Returns the number times `10 ** places`, rounded to an integer. */
export function roundTo({ units, scale, isFloat }: Decimal, places: number): bigint {
  if (places >= scale) return units * 10n ** BigInt(places - scale);
  const divisor = 10n ** BigInt(scale - places);
  const [quotient, rest] = [units / divisor, (units % divisor) * 2n];
  const isUp = rest > divisor || (rest === divisor && !(isFloat && quotient % 2n === 0n));
  return isUp ? quotient + 1n : quotient;
}

/** `%f`: the digits with this many after the point. */
export function fixed(number: Decimal, places: number): string {
  const digits = roundTo(number, places)
    .toString()
    .padStart(places + 1, '0');
  const point = digits.length - places;
  return places === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`;
}

/** Returns the digits of `%e`, and the exponent of the first one. */
export function scientific(number: Decimal, places: number) {
  if (number.units === 0n) return { digits: '0'.repeat(places + 1), exponent: 0 };
  const size = number.units.toString().length;
  const exponent = size - 1 - number.scale;
  const digits = roundTo(number, places - exponent).toString();
  // 9.99 becomes 10.0
  const isLonger = digits.length > places + 1;
  return { digits: digits.slice(0, places + 1), exponent: isLonger ? exponent + 1 : exponent };
}

/** `e+02` */
export function exponentText(exponent: number): string {
  const digits = String(Math.abs(exponent)).padStart(2, '0');
  return `e${exponent < 0 ? '-' : '+'}${digits}`;
}
