import { type NumberFormat, parseNumberFormat } from '../cast-number-format.js';
import { exponentText, fixed, type Parsed, parseNumber, roundTo, scientific } from './decimal.js';
import { remember } from './script-function.js';

const numberFormat = remember(parseNumberFormat);

/**
 * Prints a number of a type in a format.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_numeric_type_as_string
 */
export function castNumber(text: string, type: string, format: string): string {
  const known = numberFormat(format);
  const number = parseNumber(text, type === 'FLOAT64');
  const printed = known.isHex ? hexadecimal(number, known) : decimal(number, known);
  return known.isCompact ? printed.replace(/^ +/, '').trimEnd() : printed;
}

/** The parts of a number: sign, whole digits (none for zero), fraction, exponent. */
interface Parts {
  readonly isNegative: boolean;
  readonly whole: string;
  readonly fraction: string;
  readonly exponent: string;
}

function decimal(number: Parsed, format: NumberFormat): string {
  if ('special' in number) return printSpecial(number, format);
  const { scale, exponent, isCompact } = format;
  const shown = exponent === '' ? undefined : scientific(number, scale);
  const [whole = '', fraction = ''] =
    shown === undefined
      ? fixed(number, scale).split('.')
      : [shown.digits.charAt(0), shown.digits.slice(1)];
  return printFinite(
    {
      isNegative: number.isNegative,
      whole: whole === '0' ? '' : whole,
      fraction: isCompact ? fraction.replace(/0+$/, '') : fraction,
      exponent: shown === undefined ? '' : exponentText(shown.exponent).slice(1),
    },
    format,
  );
}

/** The maximum and the minimum number of digits before the point. */
function digitLimits(whole: string) {
  const digits = whole.replaceAll(',', '');
  const zero = digits.indexOf('0');
  return { max: digits.length, min: zero < 0 ? 0 : digits.length - zero };
}

function printFinite(parts: Parts, format: NumberFormat): string {
  const { whole, point, scale, exponent, isBlankAtZero } = format;
  const isZero = parts.whole === '';
  const isOver = parts.whole.length > digitLimits(whole).max;
  const blanked = (shown: string) => (isBlankAtZero && isZero ? ' '.repeat(shown.length) : shown);
  const before = wholeText(parts, format);
  const fraction = isOver ? '#'.repeat(scale) : parts.fraction;
  const power = isOver ? '####' : exponent + parts.exponent;
  const body = [before, point === '.' ? '.' : '', fraction, exponent === '' ? '' : power];
  const width = exponent === '' ? whole.length : Math.min(whole.length, 1);
  const sign = printedSign(parts.isNegative, format).map(blanked);
  return signed(body.map(blanked).join(''), sign, {
    room: width - before.length,
    currency: blanked(format.currency),
  });
}

/** The digits before the point with their separators; empty for a number such as `.5`. */
function wholeText(parts: Parts, { whole, exponent }: NumberFormat): string {
  const { max, min } = digitLimits(whole);
  const isZero = parts.whole === '';
  if (max === 0) return '';
  if (isZero && min === 0 && exponent === '' && parts.fraction !== '') return '';
  const padded = (isZero ? '0' : parts.whole).padStart(min, '0');
  if (exponent !== '') return padded;
  return separated(parts.whole.length > max ? '#'.repeat(max) : padded, whole);
}

/** Inserts the commas of the format, from the right, where a digit precedes them. */
function separated(digits: string, whole: string): string {
  const shown: string[] = [];
  let left = digits.length;
  for (let at = whole.length - 1; at >= 0 && left > 0; at--) {
    if (whole.charAt(at) === ',') {
      shown.push(',');
    } else {
      left -= 1;
      shown.push(digits.charAt(left));
    }
  }
  return shown.reverse().join('');
}

type Sign = readonly [front: string, back: string];

/** The signs before and after a negative number, then before and after any other. */
const signs: Readonly<Record<NumberFormat['sign'], readonly [...Sign, ...Sign]>> = {
  '': ['-', '', ' ', ''],
  S: ['-', '', '+', ''],
  'back S': ['', '-', '', '+'],
  MI: ['', '-', '', ' '],
  PR: ['<', '>', ' ', ' '],
};

function printedSign(isNegative: boolean, { sign }: NumberFormat): Sign {
  const [front, back, otherFront, otherBack] = signs[sign];
  return isNegative ? [front, back] : [otherFront, otherBack];
}

function signed(
  body: string,
  [front = '', back = '']: readonly string[],
  { room, currency = '' }: { readonly room: number; readonly currency?: string },
): string {
  return ' '.repeat(Math.max(room, 0)) + front + currency + body + back;
}

/** Prints `INF` and `NAN` in place of the digits before the point. */
function printSpecial(
  { special, isNegative }: Extract<Parsed, { special: string }>,
  format: NumberFormat,
): string {
  const { whole, scale, exponent, point, currency, isCompact } = format;
  const shown = special.toUpperCase();
  const sign = printedSign(isNegative, format).map((one) =>
    special === 'nan' && one !== '' ? ' ' : one,
  );
  const behind = scale + (point === '.' ? 1 : 0);
  if (exponent !== '') {
    const width = Math.min(whole.length, 1) + behind + 1 + 3;
    return signed(shown, sign, { room: width - shown.length, currency });
  }
  if (whole.length < 3) {
    const hashes = `${whole.replaceAll(/[09]/g, '#')}${point === '.' ? '.' : ''}${'#'.repeat(scale)}`;
    return signed(hashes, sign, { room: 0, currency });
  }
  const after = isCompact ? '' : ' '.repeat(behind);
  return signed(shown + after, sign, { room: whole.length - shown.length, currency });
}

/** Prints the number, rounded to an integer, in hexadecimal digits; `#` if it has more digits than the format. */
function hexadecimal(number: Parsed, format: NumberFormat): string {
  const { whole } = format;
  const { min } = digitLimits(whole.replaceAll(/x/gi, '9'));
  const digits =
    'special' in number
      ? undefined
      : roundTo({ ...number, isFloat: false }, 0)
          .toString(16)
          .padStart(Math.max(min, 1), '0');
  const isOver = digits === undefined || digits.length > whole.length;
  const shown = isOver ? '#'.repeat(whole.length) : cased(digits, whole);
  const sign = printedSign(number.isNegative, format);
  return signed(shown, sign, { room: whole.length - shown.length });
}

/** Writes each digit in the case of its X; a 0 of the format takes the case of the next X. */
function cased(digits: string, whole: string): string {
  const from = whole.length - digits.length;
  return [...digits]
    .map((digit, index) => {
      const [next = 'X'] = /[Xx]/.exec(whole.slice(from + index)) ?? [];
      return next === 'X' ? digit.toUpperCase() : digit;
    })
    .join('');
}
