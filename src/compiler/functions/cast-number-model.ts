import { QueryFault } from '../../errors/query-fault.js';

/** The format of a cast of a number to a text, in its parts. */
export interface NumberModel {
  /** The digits before the point: `0`, `9`, `,`; of a hexadecimal number `X` and `x`. */
  readonly whole: string;
  /** What stands for the point: nothing, `.`, or `V`, which is not printed. */
  readonly point: '' | '.' | 'V';
  /** How many digits stand behind the point. */
  readonly scale: number;
  readonly exponent: '' | 'E' | 'e';
  readonly sign: '' | 'S' | 'back S' | 'MI' | 'PR';
  readonly currency: '' | '$' | 'USD' | 'usd';
  /** `B`: blanks where the digits before the point are zero. */
  readonly isBlankAtZero: boolean;
  /** `FM`: neither blanks around it nor zeros behind. */
  readonly isCompact: boolean;
  readonly isHex: boolean;
}

const element = /FM|EEEE|TM[9E]?|RN|MI|PR|[$CLBS09X.,DGV]/iy;

const currencies: Readonly<Record<string, NumberModel['currency']>> = {
  $: '$',
  L: '$',
  l: '$',
  C: 'USD',
  c: 'usd',
};

/** The order of the elements that have one: sign, digits, point and fraction, exponent, sign. */
const decimal = /^(S?)([09,G]*)(?:([.DV])([09]*))?(E?)(S|M|P)?$/i;
const hexadecimal = /^([0Xx]*)(S|M|P)?$/;

const mostHexDigits = 16;

/**
 * The format of `CAST(12.5 AS STRING FORMAT '999.99')`.
 * @throws QueryFault where it is none
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_numeric_type_as_string
 */
export function readNumberModel(format: string, at: number): NumberModel {
  const elements = split(format, at);
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

function split(format: string, at: number): readonly string[] {
  const elements: string[] = [];
  for (let from = 0; from < format.length; ) {
    element.lastIndex = from;
    const [found] = element.exec(format) ?? [];
    if (found === undefined) throw wrong(`Invalid format element '${format.charAt(from)}'`, at);
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

/** Elements that GoogleSQL names and BigQuery refuses as well. */
function refuseWords(elements: readonly string[], at: number): void {
  const word = elements.find((one) => /^(?:TM|RN)/i.test(one));
  if (word === undefined) return;
  const what = /^TM/i.test(word) ? 'Text minimal output' : 'Roman numeral';
  throw new QueryFault(`${what} is not supported yet`, at);
}

type Digits = Omit<NumberModel, 'currency' | 'isBlankAtZero' | 'isCompact' | 'isHex'>;

const noDigits: Digits = { whole: '', point: '', scale: 0, exponent: '', sign: '' };

const backSigns: Readonly<Record<string, NumberModel['sign']>> = { S: 'back S', M: 'MI', P: 'PR' };

function readHex(form: string, flags: readonly string[], at: number): Digits {
  const [, whole = '', back = ''] = hexadecimal.exec(form) ?? [];
  const foreign = flags.find((flag) => !/^FM$/i.test(flag)) ?? /[^0Xx]/.exec(form)?.[0];
  if (whole === '' || (foreign !== undefined && foreign !== back)) {
    throw wrong(`'X' cannot appear together with '${(foreign ?? '').toUpperCase()}'`, at);
  }
  if (whole.length > mostHexDigits) throw wrong(`Max number of 'X' is ${mostHexDigits}`, at);
  return { ...noDigits, whole, sign: backSigns[back.toUpperCase()] ?? '' };
}

function readDecimal(form: string, at: number): Digits {
  const found = decimal.exec(form);
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

/** What is wrong with the order of the elements, each in one letter. */
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
