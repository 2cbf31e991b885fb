import { ValueFault } from './value-fault.js';

/** The parts of the format for casting a number to a string. */
export interface NumberFormat {
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

/** The maximum length of a format. */
const maxLength = 512;

/**
 * Parses a format such as `999.99`.
 * @throws ValueFault if the format is invalid
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_numeric_type_as_string
 */
export function parseNumberFormat(text: string): NumberFormat {
  if (text.length > maxLength) throw new ValueFault(`Format string too long; limit ${maxLength}`);
  const elements = split(text);
  const flags = elements.filter((one) => /^(?:FM|[$CLB])$/i.test(one));
  const rest = elements.filter((one) => !/^(?:FM|[$CLB])$/i.test(one));
  refuseRepeated(flags);
  refuseWords(rest);
  const form = rest.map((one) => (one.length > 1 ? one.charAt(0) : one)).join('');
  const isHex = /x/i.test(form);
  const has = (flag: string) => flags.some((one) => one.toUpperCase() === flag);
  const common = {
    currency: currencies[flags.find((one) => one in currencies) ?? ''] ?? '',
    isBlankAtZero: has('B'),
    isCompact: has('FM'),
    isHex,
  } as const;
  if (isHex) return { ...readHex(form, flags), ...common };
  return { ...readDecimal(form), ...common };
}

function split(text: string): readonly string[] {
  const elements: string[] = [];
  for (let from = 0; from < text.length; ) {
    element.lastIndex = from;
    const [found] = element.exec(text) ?? [];
    if (found === undefined) throw wrong(`Invalid format element '${text.charAt(from)}'`);
    elements.push(found);
    from += found.length;
  }
  return elements;
}

function refuseRepeated(flags: readonly string[]): void {
  const count = (form: RegExp) => flags.filter((flag) => form.test(flag)).length;
  if (count(/^FM$/i) > 1) throw wrong("'FM' cannot be repeated");
  if (count(/^B$/i) > 1) throw wrong("There can be at most one 'B'");
  if (count(/^[$CL]$/i) > 1) throw wrong("There can be at most one of '$', 'C' or 'L'");
}

/** Refuses the elements that GoogleSQL defines and BigQuery does not support either. */
function refuseWords(elements: readonly string[]): void {
  const word = elements.find((one) => /^(?:TM|RN)/i.test(one));
  if (word === undefined) return;
  const what = /^TM/i.test(word) ? 'Text minimal output' : 'Roman numeral';
  throw new ValueFault(`${what} is not supported yet`);
}

type Digits = Omit<NumberFormat, 'currency' | 'isBlankAtZero' | 'isCompact' | 'isHex'>;

const noDigits: Digits = { whole: '', point: '', scale: 0, exponent: '', sign: '' };

const backSigns: Readonly<Record<string, NumberFormat['sign']>> = { S: 'back S', M: 'MI', P: 'PR' };

function readHex(form: string, flags: readonly string[]): Digits {
  const [, whole = '', back = ''] = hexadecimalForm.exec(form) ?? [];
  const foreign = flags.find((flag) => !/^FM$/i.test(flag)) ?? /[^0Xx]/.exec(form)?.[0];
  if (whole === '' || (foreign !== undefined && foreign !== back)) {
    throw wrong(`'X' cannot appear together with '${(foreign ?? '').toUpperCase()}'`);
  }
  if (whole.length > maxHexDigits) throw wrong(`Max number of 'X' is ${maxHexDigits}`);
  return { ...noDigits, whole, sign: backSigns[back.toUpperCase()] ?? '' };
}

function readDecimal(form: string): Digits {
  const found = decimalForm.exec(form);
  if (found === null) throw wrong(disorder(form));
  const [, front = '', whole = '', point = '', fraction = '', exponent = '', back = ''] = found;
  if (!/[09]/.test(whole + fraction)) {
    throw wrong("Format string must contain at least one of 'X', '0' or '9'");
  }
  if (front !== '' && back !== '') throw wrong(twoSigns);
  if (exponent !== '' && /[,G]/i.test(whole)) {
    throw wrong("',' or 'G' cannot appear together with 'EEEE'");
  }
  return {
    whole: whole.replaceAll(/g/gi, ','),
    point: point === '' ? '' : point.toUpperCase() === 'V' ? 'V' : '.',
    scale: fraction.length,
    exponent: exponent === 'E' || exponent === 'e' ? exponent : '',
    sign: front === '' ? (backSigns[back.toUpperCase()] ?? '') : 'S',
  };
}

const twoSigns = "There can be at most one of 'S', 'MI', or 'PR'";

/** Returns the message for elements in the wrong order; `form` has one letter for each. */
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

function wrong(message: string): ValueFault {
  return new ValueFault(`Error in format string: ${message}`);
}
