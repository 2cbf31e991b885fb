/** The kinds of number in the lines, named after the types that hold all of their digits. */
export const numberKinds = [
  'UBIGINT', // INT64 and FLOAT64
  'BIGINT', // the same, negative
  'LONG', // INT64, not FLOAT64
  'DOUBLE', // FLOAT64 and NUMERIC
  'FLOAT', // FLOAT64 only
  'DECIMAL', // NUMERIC only
  'DIGITS', // none: kept only as text
] as const;

/** One of the {@link numberKinds}. */
export type NumberKind = (typeof numberKinds)[number];

/** The kinds that DuckDB prints differently from the log: `1.1` for `1.10`. */
export const reprintedKinds = ['DOUBLE', 'FLOAT', 'DECIMAL', 'DIGITS'] as const;

/**
 * Returns the kind of a number as written in JSON. FLOAT64 holds it if it prints the same number again: `0.1` and
 * `1.10`, but not `9007199254740993`, which would become `9007199254740992`.
 */
export function kindOfNumber(text: string): NumberKind {
  const exact = exactDecimal(text);
  const isFloat = printsAgain(text, exact);
  if (isInt64(text)) {
    if (!isFloat) return 'LONG';
    return text.startsWith('-') ? 'BIGINT' : 'UBIGINT';
  }
  if (!isNumeric(text, exact)) return isFloat ? 'FLOAT' : 'DIGITS';
  return isFloat ? 'DOUBLE' : 'DECIMAL';
}

/** The integer -0 does not count: its sign would be lost. */
function isInt64(text: string): boolean {
  if (text.length > 20 || text === '-0' || !/^-?\d+$/.test(text)) return false;
  return BigInt.asIntN(64, BigInt(text)) === BigInt(text);
}

function printsAgain(text: string, exact: ExactDecimal): boolean {
  const value = Number(text);
  if (!Number.isFinite(value)) return false;
  const printed = String(value);
  if (printed === text) return true;
  const again = exactDecimal(printed);
  return (
    again.digits === exact.digits &&
    again.exponent === exact.exponent &&
    again.isNegative === exact.isNegative
  );
}

/** The maximum number of digits before and after the decimal point of NUMERIC. */
const [maxWhole, maxFraction] = [29, 9];
/** DuckDB cannot convert all longer numbers with an exponent. */
const maxWithExponent = 28;

function isNumeric(text: string, { digits, exponent }: ExactDecimal): boolean {
  if (/e/i.test(text) && text.length > maxWithExponent) return false;
  return -exponent <= maxFraction && digits.length + exponent <= maxWhole;
}

/** An integer without zeros at either end, times a power of ten. */
type ExactDecimal = ReturnType<typeof exactDecimal>;

function exactDecimal(text: string) {
  const [mantissa = '', power = '0'] = text.toLowerCase().split('e');
  const isNegative = mantissa.startsWith('-');
  const [whole = '', fraction = ''] = (isNegative ? mantissa.slice(1) : mantissa).split('.');
  const all = whole + fraction;
  let [from, to] = [0, all.length];
  while (all[from] === '0') from += 1;
  if (from === to) return { isNegative: false, digits: '', exponent: 0 };
  while (all[to - 1] === '0') to -= 1;
  const exponent = Number(power) - fraction.length + all.length - to;
  return { isNegative, digits: all.slice(from, to), exponent };
}
