import { QueryFault } from '../../errors/query-fault.js';
import type { Type } from '../../types/types.js';
import type { BoundCall } from '../bound/bound.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { formatNumber } from './format.js';
import { literalFormat } from './time-format.js';

/**
 * `CAST(n AS STRING FORMAT '999.99')`. The format must be a literal: the compiler reads it.
 * @throws QueryFault if the format is invalid
 */
export function castNumberToText(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const { at } = node;
  const format = parseNumberFormat(literalFormat(node.args[1], 'CAST', at) ?? '', at);
  const [value = duckNull] = args;
  const type = node.args[0]?.type ?? { kind: 'INT64' };
  const parts = format.isHex ? hexParts(value, format) : numberParts(value, type, format);
  const write = format.isHex ? hexadecimal : decimal;
  const printed = letOnce([parts], ([named = duckNull]) => write(named, format), 0);
  return format.isCompact ? call('trim', printed) : printed;
}

/** A struct of the parts of a number printed with `%f` or `%e`: sign, whole digits, fraction, exponent. */
function numberParts(value: DuckExpression, type: Type, format: NumberFormat): DuckExpression {
  const isWhole = type.kind === 'INT64';
  const spec = {
    flags: '',
    specifier: format.exponent === '' ? 'f' : 'e',
    precision: format.scale,
  };
  const number = isWhole ? castTo(value, 'DECIMAL(38,9)') : value;
  const kind = isWhole ? { kind: 'NUMERIC' as const } : type;
  const printed = formatNumber({
    spec,
    value: number,
    type: kind,
    width: undefined,
    precision: undefined,
  });
  const compact: DuckExpression = { kind: 'word', word: format.isCompact ? 'TRUE' : 'FALSE' };
  return macro('number_parts', printed, compact);
}

/** The maximum and the minimum number of digits before the point. */
function digitLimits(whole: string) {
  const digits = whole.replaceAll(',', '');
  const zero = digits.indexOf('0');
  return { max: digits.length, min: zero < 0 ? 0 : digits.length - zero };
}

function decimal(parts: DuckExpression, format: NumberFormat): DuckExpression {
  const of = fieldsOf(parts);
  const finite = printFinite(of, format);
  return choose(
    infix('=', of('special'), text('')),
    finite,
    choose(infix('<>', of('special'), text('')), printSpecial(of, format)),
  );
}

type Of = (name: string) => DuckExpression;

function fieldsOf(parts: DuckExpression): Of {
  return (name) => ({ kind: 'field', of: parts, name });
}

function printFinite(of: Of, format: NumberFormat): DuckExpression {
  const { whole, point, scale, exponent, isBlankAtZero } = format;
  const { max: digits } = digitLimits(whole);
  const isZero = infix('=', of('whole'), text(''));
  const isOver = infix('>', call('length', of('whole')), integer(digits));
  const blanked = (shown: DuckExpression, blank: string) =>
    isBlankAtZero ? choose(isZero, text(blank), shown) : shown;
  const fraction = choose(isOver, text('#'.repeat(scale)), of('fraction'));
  const power = choose(isOver, text('####'), infix('||', text(exponent), of('exponent')));
  const before = wholeText(of, format, isOver, isZero);
  const width = exponent === '' ? whole.length : Math.min(whole.length, 1);
  const body = [
    before,
    ...(point === '.' ? [blanked(text('.'), ' ')] : []),
    ...(isBlankAtZero
      ? [choose(isZero, macro('spaces', call('length', fraction)), fraction)]
      : [fraction]),
    ...(exponent === '' ? [] : [blanked(power, '    ')]),
  ];
  return signed(body, before, width, { of, format, blanked });
}

/** The digits before the point with their separators; empty for a number such as `.5`. */
function wholeText(
  of: Of,
  { whole, exponent, isBlankAtZero }: NumberFormat,
  isOver: DuckExpression,
  isZero: DuckExpression,
): DuckExpression {
  const { max: digits, min: minDigits } = digitLimits(whole);
  if (digits === 0) return text('');
  const known = choose(isZero, text('0'), of('whole'));
  const padded = minDigits > 1 ? macro('pad_zeros', known, integer(minDigits)) : known;
  const plain = choose(isOver, text('#'.repeat(digits)), padded);
  const shown = exponent === '' ? separated(plain, whole) : padded;
  const printed = isBlankAtZero
    ? choose(isZero, macro('spaces', call('length', shown)), shown)
    : shown;
  if (minDigits > 0 || exponent !== '') return printed;
  const isEmpty = infix('AND', isZero, infix('<>', of('fraction'), text('')));
  return choose(isEmpty, text(''), printed);
}

/** Inserts the commas of the format, from the right, where a digit precedes them. */
function separated(digits: DuckExpression, whole: string): DuckExpression {
  const places = [...whole].flatMap((one, index) =>
    one === ',' ? [whole.length - index - 1] : [],
  );
  return places.reduceRight(
    (value, behind) => macro('comma_before', value, integer(behind)),
    digits,
  );
}

interface Signing {
  readonly of: Of;
  readonly format: NumberFormat;
  readonly blanked: (shown: DuckExpression, blank: string) => DuckExpression;
}

/** The texts before and after a number, each for negative numbers and for others. */
const signs: Readonly<
  Record<NumberFormat['sign'], readonly [readonly string[], readonly string[]]>
> = {
  '': [
    ['-', ' '],
    ['', ''],
  ],
  S: [
    ['-', '+'],
    ['', ''],
  ],
  'back S': [
    ['', ''],
    ['-', '+'],
  ],
  MI: [
    ['', ''],
    ['-', ' '],
  ],
  PR: [
    ['<', ' '],
    ['>', ' '],
  ],
};

function signed(
  body: readonly DuckExpression[],
  before: DuckExpression,
  width: number,
  { of, format, blanked }: Signing,
): DuckExpression {
  const [front, back] = signs[format.sign].map(([negative = '', other = '']) =>
    negative === ''
      ? text('')
      : blanked(choose(of('is_negative'), text(negative), text(other)), ' '),
  );
  const room = infix('-', integer(width), call('length', before));
  const currency = blanked(text(format.currency), ' '.repeat(format.currency.length));
  const parts = [macro('spaces', room), front ?? text(''), currency, ...body, back ?? text('')];
  return infix('||', ...parts.filter((part) => part.kind !== 'text' || part.value !== ''));
}

/** `INF` and `NAN` are printed where the digits before the point would be. */
function printSpecial(of: Of, format: NumberFormat): DuckExpression {
  const { whole, scale, exponent, point } = format;
  const behind = scale + (point === '.' ? 1 : 0);
  const isNan = infix('=', of('special'), text('NAN'));
  const unsigned = (shown: DuckExpression, blank: string) => choose(isNan, text(blank), shown);
  const signing = { of, format: { ...format, currency: '' as const }, blanked: unsigned };
  const currency = format.currency === '' ? [] : [text(format.currency)];
  if (exponent !== '') {
    const width = Math.min(whole.length, 1) + behind + 1 + 3;
    return signed([...currency, of('special')], of('special'), width, signing);
  }
  const hashes = `${whole.replaceAll(/[09]/g, '#')}${point === '.' ? '.' : ''}${'#'.repeat(scale)}`;
  if (whole.length < 3)
    return signed([...currency, text(hashes)], text(hashes), hashes.length, signing);
  const room = format.isCompact ? '' : ' '.repeat(behind);
  const shown = infix('||', of('special'), text(room));
  return signed([...currency, shown], of('special'), whole.length, signing);
}

/** A struct of the sign and the hexadecimal digits of the number, rounded to an integer. */
function hexParts(value: DuckExpression, { whole }: NumberFormat): DuckExpression {
  const { min: minDigits } = digitLimits(whole.replaceAll(/x/gi, '9'));
  return macro('number_hex', value, integer(Math.max(minDigits, 1)));
}

/** Prints `#` for each digit if the number has more digits than the format. */
function hexadecimal(parts: DuckExpression, format: NumberFormat): DuckExpression {
  const { whole } = format;
  const of = fieldsOf(parts);
  const isOver = infix('>', call('length', of('whole')), integer(whole.length));
  const shown = choose(isOver, text('#'.repeat(whole.length)), cased(of('whole'), whole));
  return signed([shown], shown, whole.length, { of, format, blanked: (part) => part });
}

/** Writes each digit in the case of its X; a 0 of the format takes the case of the next X. */
function cased(digits: DuckExpression, whole: string): DuckExpression {
  const cases = [...whole].map((one, index) =>
    one === '0' ? (/[Xx]/.exec(whole.slice(index))?.[0] ?? 'X') : one,
  );
  const runs = cases.join('').match(/X+|x+/g) ?? [];
  const [only = 'X'] = runs;
  const change = (run: string) => (run.startsWith('X') ? 'upper' : 'lower');
  if (runs.length === 1) return call(change(only), digits);
  const padded = call('lpad', digits, integer(whole.length), text(' '));
  let start = 1;
  const parts = runs.map((run) => {
    const part = call(change(run), call('substring', padded, integer(start), integer(run.length)));
    start += run.length;
    return part;
  });
  return call('ltrim', infix('||', ...parts));
}

/** The parts of the format of a cast from a number to a text. */
interface NumberFormat {
  /** The elements before the point: `0`, `9` and `,`; `0`, `X` and `x` in a hexadecimal format. */
  readonly whole: string;
  /** `.`, or `V` for a point that is not printed. */
  readonly point: '' | '.' | 'V';
  /** The number of digits after the point. */
  readonly scale: number;
  readonly exponent: '' | 'E' | 'e';
  readonly sign: '' | 'S' | 'back S' | 'MI' | 'PR';
  readonly currency: '' | '$' | 'USD' | 'usd';
  /** `B`: prints blanks if the digits before the point are zero. */
  readonly isBlankAtZero: boolean;
  /** `FM`: prints no blanks around the number and no trailing zeros. */
  readonly isCompact: boolean;
  readonly isHex: boolean;
}

const element = /FM|EEEE|TM[9E]?|RN|MI|PR|[$CLBS09X.,DGV]/iy;

const currencies: Readonly<Record<string, NumberFormat['currency']>> = {
  $: '$',
  L: '$',
  l: '$',
  C: 'USD',
  c: 'usd',
};

/** The order of the elements: sign, digits, point and fraction, exponent, sign. */
const decimalForm = /^(S?)([09,G]*)(?:([.DV])([09]*))?(E?)(S|M|P)?$/i;
const hexadecimalForm = /^([0Xx]*)(S|M|P)?$/;

const maxHexDigits = 16;

/**
 * Parses a format such as `999.99`.
 * @throws QueryFault if the format is invalid
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_numeric_type_as_string
 */
function parseNumberFormat(text: string, at: number): NumberFormat {
  const elements = split(text, at);
  const flags = elements.filter((one) => /^(?:FM|[$CLB])$/i.test(one));
  const rest = elements.filter((one) => !/^(?:FM|[$CLB])$/i.test(one));
  refuseRepeated(flags, at);
  refuseWords(rest, at);
  const form = rest.map((one) => (one.length > 1 ? one.charAt(0) : one)).join('');
  const isHex = /x/i.test(form);
  const has = (flag: string) => flags.some((one) => one.toUpperCase() === flag);
  const common = {
    currency: currencies[flags.find((one) => one in currencies) ?? ''] ?? '',
    isBlankAtZero: has('B'),
    isCompact: has('FM'),
    isHex,
  } as const;
  if (isHex) return { ...readHex(form, flags, at), ...common };
  return { ...readDecimal(form, at), ...common };
}

function split(text: string, at: number): readonly string[] {
  const elements: string[] = [];
  for (let from = 0; from < text.length; ) {
    element.lastIndex = from;
    const [found] = element.exec(text) ?? [];
    if (found === undefined) throw wrong(`Invalid format element '${text.charAt(from)}'`, at);
    elements.push(found);
    from += found.length;
  }
  return elements;
}

function refuseRepeated(flags: readonly string[], at: number): void {
  const count = (form: RegExp) => flags.filter((flag) => form.test(flag)).length;
  if (count(/^FM$/i) > 1) throw wrong("'FM' cannot be repeated", at);
  if (count(/^B$/i) > 1) throw wrong("There can be at most one 'B'", at);
  if (count(/^[$CL]$/i) > 1) throw wrong("There can be at most one of '$', 'C' or 'L'", at);
}

/** Refuses the elements that GoogleSQL defines and BigQuery does not support either. */
function refuseWords(elements: readonly string[], at: number): void {
  const word = elements.find((one) => /^(?:TM|RN)/i.test(one));
  if (word === undefined) return;
  const what = /^TM/i.test(word) ? 'Text minimal output' : 'Roman numeral';
  throw new QueryFault(`${what} is not supported yet`, at);
}

type Digits = Omit<NumberFormat, 'currency' | 'isBlankAtZero' | 'isCompact' | 'isHex'>;

const noDigits: Digits = { whole: '', point: '', scale: 0, exponent: '', sign: '' };

const backSigns: Readonly<Record<string, NumberFormat['sign']>> = { S: 'back S', M: 'MI', P: 'PR' };

function readHex(form: string, flags: readonly string[], at: number): Digits {
  const [, whole = '', back = ''] = hexadecimalForm.exec(form) ?? [];
  const foreign = flags.find((flag) => !/^FM$/i.test(flag)) ?? /[^0Xx]/.exec(form)?.[0];
  if (whole === '' || (foreign !== undefined && foreign !== back)) {
    throw wrong(`'X' cannot appear together with '${(foreign ?? '').toUpperCase()}'`, at);
  }
  if (whole.length > maxHexDigits) throw wrong(`Max number of 'X' is ${maxHexDigits}`, at);
  return { ...noDigits, whole, sign: backSigns[back.toUpperCase()] ?? '' };
}

function readDecimal(form: string, at: number): Digits {
  const found = decimalForm.exec(form);
  if (found === null) throw wrong(disorder(form), at);
  const [, front = '', whole = '', point = '', fraction = '', exponent = '', back = ''] = found;
  if (!/[09]/.test(whole + fraction)) {
    throw wrong("Format string must contain at least one of 'X', '0' or '9'", at);
  }
  if (front !== '' && back !== '') throw wrong(twoSigns, at);
  if (exponent !== '' && /[,G]/i.test(whole)) {
    throw wrong("',' or 'G' cannot appear together with 'EEEE'", at);
  }
  return {
    whole: whole.replaceAll(/g/gi, ','),
    point: point === '' ? '' : point.toUpperCase() === 'V' ? 'V' : '.',
    scale: fraction.length,
    exponent: exponent as Digits['exponent'],
    sign: front === '' ? (backSigns[back.toUpperCase()] ?? '') : 'S',
  };
}

const twoSigns = "There can be at most one of 'S', 'MI', or 'PR'";

/** The message for elements in the wrong order; `form` has one letter for each. */
function disorder(form: string): string {
  if (/[.DV].*[.DV]/i.test(form)) return "There can be at most one of '.', 'D', or 'V'";
  if (/[.DV].*[,G]/i.test(form)) return "',' or 'G' cannot appear after '.', 'D' or 'V'";
  if (/[SMP].*[SMP]/i.test(form)) return twoSigns;
  if (/S/i.test(form)) return "'S' can only appear before or after all digits and 'EEEE'";
  const [sign] = /[MP]/i.exec(form) ?? [];
  if (sign === undefined) return `Unexpected '${form.charAt(0)}'`;
  const name = sign.toUpperCase() === 'M' ? 'MI' : 'PR';
  return `'${name}' can only appear after all digits and 'EEEE'`;
}

function wrong(message: string, at: number): QueryFault {
  return new QueryFault(`Error in format string: ${message}`, at);
}
