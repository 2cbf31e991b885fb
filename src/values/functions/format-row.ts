import { anyType, checkFormatSize, type FormatSpec, formatSteps } from '../format-string.js';
import {
  type Decimal,
  exponentText,
  fixed,
  type Parsed,
  parseNumber,
  scientific,
} from './decimal.js';
import { remember, type Text } from './script-function.js';

/**
 * An argument: the string that `%s`, `%d`, `%f` or `%P` reads, the one that `%t` or `%p` prints, and the one that `%T`
 * prints.
 */
interface Argument {
  readonly raw: string | null;
  readonly plain: string | null;
  readonly literal: string | null;
  readonly type: string;
}

/** A specifier with its width and precision. */
interface Sized extends Omit<FormatSpec, 'width' | 'precision'> {
  readonly width: number | undefined;
  readonly precision: number | undefined;
}

/** The types, a JSON array, and the steps of the pattern that follows them after a line feed. */
const rememberedSteps = remember((key) => {
  const end = key.indexOf('\n');
  const names: readonly string[] = JSON.parse(key.slice(0, end));
  return { names, steps: formatSteps(key.slice(end + 1), names) };
});

/**
 * FORMAT; the types are a JSON array, and each value has three strings: raw, plain and literal.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#format_string
 */
export function formatRow(pattern: Text, types: Text, ...texts: readonly Text[]): Text {
  if (pattern === null || types === null) return null;
  const { names, steps } = rememberedSteps(`${types}\n${pattern}`);
  const args = names.map((type, index): Argument => {
    const [raw = null, plain = null, literal = null] = texts.slice(3 * index - 3, 3 * index);
    return { raw, plain, literal, type };
  });
  let printed = '';
  for (const { part, index } of steps) {
    const text = typeof part === 'string' ? part : printSpec(part, args.slice(index));
    if (text === null) return null;
    printed += text;
  }
  return printed;
}

function printSpec(spec: FormatSpec, args: readonly Argument[]): Text {
  let next = 0;
  const take = (size: number | '*' | undefined) => {
    if (size !== '*') return size;
    const raw = args[next]?.raw ?? null;
    next += 1;
    return raw === null || Number.isNaN(Number(raw)) ? null : checkFormatSize(Number(raw));
  };
  const [width, precision] = [take(spec.width), take(spec.precision)];
  const value = args[next];
  if (width === null || precision === null || value === undefined) return null;
  return printValue({ ...spec, width, precision }, value);
}

function printValue(spec: Sized, { raw, plain, literal, type }: Argument): string | null {
  switch (spec.specifier) {
    case 't':
      return printText(spec, plain ?? 'NULL');
    case 'T':
      return printText(spec, literal ?? 'NULL');
    case 'p':
      return plain === null ? null : printText(spec, plain);
    case 's':
    case 'P':
      return raw === null ? null : printText(spec, raw);
    default:
      return printDigits(spec, raw, type);
  }
}

/** Prints the number that a string holds; NULL if it holds none that the specifier prints. */
function printDigits(spec: Sized, raw: string | null, type: string): string | null {
  if (raw === null) return null;
  if (type !== anyType) return printNumber(spec, parseNumber(raw, type === 'FLOAT64'));
  const number = raw.trim() === '' ? Number.NaN : Number(raw);
  if (/[fFeEgG]/.test(spec.specifier)) {
    return Number.isFinite(number) ? printNumber(spec, parseNumber(raw, true)) : null;
  }
  if (!Number.isInteger(number)) return null;
  const digits = /^-?\d+$/.test(raw) ? raw : BigInt(number).toString();
  return printNumber(spec, parseNumber(digits, false));
}

/** Truncates a string to the precision and pads it to the width, both in characters. */
function printText({ flags, width, precision }: Sized, text: string): string {
  const cut = precision === undefined || precision < 0 ? text : firstCharacters(text, precision);
  return pad(cut, width, flags.includes('-'));
}

/** The first characters of a string, without reading the rest. */
function firstCharacters(text: string, count: number): string {
  return [...text.slice(0, 2 * count)].slice(0, count).join('');
}

function pad(text: string, width: number | undefined, isLeft: boolean): string {
  if (width === undefined) return text;
  // The characters of a longer string need not be counted.
  const length = text.length > 2 * Math.abs(width) ? text.length : [...text].length;
  const room = ' '.repeat(Math.max(Math.abs(width) - length, 0));
  return isLeft || width < 0 ? text + room : room + text;
}

const prefixes: Readonly<Record<string, string>> = { o: '0', x: '0x', X: '0X' };

function printNumber(spec: Sized, value: Parsed): string {
  const { flags, specifier, width } = spec;
  const plus = flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  const prefix = flags.includes('#') ? (prefixes[specifier] ?? '') : '';
  const head = (value.isNegative ? '-' : plus) + prefix;
  const digits = grouped(specifierDigits(spec, value), spec);
  const isLeft = flags.includes('-');
  if (width === undefined || !flags.includes('0') || isLeft || width < 0 || 'special' in value) {
    return pad(head + digits, width, isLeft);
  }
  return head + digits.padStart(width - head.length, '0');
}

const bases: Readonly<Record<string, number>> = { o: 8, x: 16, X: 16 };

function specifierDigits(spec: Sized, value: Parsed): string {
  const { specifier } = spec;
  const isUpper = /[A-Z]/.test(specifier);
  const digits = 'special' in value ? value.special : finiteDigits(spec, value);
  return isUpper ? digits.toUpperCase() : digits;
}

const defaultPrecision = 6;

function finiteDigits({ specifier, flags, precision }: Sized, value: Decimal): string {
  if (/[dioxX]/.test(specifier)) {
    return value.units.toString(bases[specifier] ?? 10).padStart(precision ?? 0, '0');
  }
  const places = precision === undefined || precision < 0 ? defaultPrecision : precision;
  const isAlternate = flags.includes('#');
  if (/f/i.test(specifier)) return withPoint(fixed(value, places), isAlternate);
  if (/g/i.test(specifier)) return general(value, Math.max(places, 1), isAlternate);
  const { digits, exponent } = scientific(value, places);
  return withPoint(mantissa(digits), isAlternate) + exponentText(exponent);
}

function mantissa(digits: string): string {
  return digits.length === 1 ? digits : `${digits.charAt(0)}.${digits.slice(1)}`;
}

/** `#` prints a point even if no digit follows. */
function withPoint(digits: string, isAlternate: boolean): string {
  return isAlternate && !digits.includes('.') ? `${digits}.` : digits;
}

/** `%g`: the shorter of `%e` and `%f` with this many digits, without trailing zeros. */
export function general(value: Decimal, places: number, isAlternate = false): string {
  const { digits, exponent } = scientific(value, places - 1);
  const trim = (text: string) =>
    isAlternate ? withPoint(text, true) : text.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, '');
  if (exponent < -4 || exponent >= places) return trim(mantissa(digits)) + exponentText(exponent);
  return trim(fixed(value, places - 1 - exponent));
}

/** `%'d`: commas between thousands; `%'x` has a colon and `%'o` a comma every four digits. */
function grouped(digits: string, { flags, specifier }: Sized): string {
  if (!flags.includes("'")) return digits;
  const isHex = /[xX]/.test(specifier);
  const size = isHex || specifier === 'o' ? 4 : 3;
  const [whole = ''] = (isHex ? /^[0-9a-fA-F]+/ : /^\d+/).exec(digits) ?? [];
  const groups: string[] = [];
  for (let end = whole.length; end > 0; end -= size) {
    groups.unshift(whole.slice(Math.max(end - size, 0), end));
  }
  return groups.join(isHex ? ':' : ',') + digits.slice(whole.length);
}
