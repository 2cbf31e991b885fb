import { QueryFault } from '../../errors/query-fault.js';
import type { Type } from '../../types/type.js';
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
 * `cast(n as string format '999.99')`: the format is read when compiling.
 * @throws QueryFault where the format is none
 */
export function castNumberToText(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const { at } = node;
  const model = readNumberModel(literalFormat(node.args[1], 'CAST', at) ?? '', at);
  const [value = duckNull] = args;
  const type = node.args[0]?.type ?? { kind: 'INT64' };
  const parts = model.isHex ? hexParts(value, model) : numberParts(value, type, model);
  const write = model.isHex ? hexadecimal : decimal;
  const printed = letOnce([parts], ([named = duckNull]) => write(named, model), 0);
  return model.isCompact ? call('trim', printed) : printed;
}

/** The number as `%f` or `%e` prints it, cut up: its sign, the digits before and behind the point, its exponent. */
function numberParts(value: DuckExpression, type: Type, model: NumberModel): DuckExpression {
  const isWhole = type.kind === 'INT64';
  const spec = {
    flags: '',
    specifier: model.exponent === '' ? 'f' : 'e',
    precision: model.scale,
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
  const compact: DuckExpression = { kind: 'word', word: model.isCompact ? 'TRUE' : 'FALSE' };
  return macro('number_parts', printed, compact);
}

/** The digits before the point that a format has room for, and how many of them it always prints. */
function room(whole: string) {
  const digits = whole.replaceAll(',', '');
  const zero = digits.indexOf('0');
  return { digits: digits.length, least: zero < 0 ? 0 : digits.length - zero };
}

function decimal(parts: DuckExpression, model: NumberModel): DuckExpression {
  const of = fieldsOf(parts);
  const finite = laidOut(of, model);
  return choose(
    infix('=', of('odd'), text('')),
    finite,
    choose(infix('<>', of('odd'), text('')), oddNumber(of, model)),
  );
}

type Of = (name: string) => DuckExpression;

function fieldsOf(parts: DuckExpression): Of {
  return (name) => ({ kind: 'field', of: parts, name });
}

function laidOut(of: Of, model: NumberModel): DuckExpression {
  const { whole, point, scale, exponent, isBlankAtZero } = model;
  const { digits } = room(whole);
  const isZero = infix('=', of('whole'), text(''));
  const isOver = infix('>', call('length', of('whole')), integer(digits));
  const blanked = (shown: DuckExpression, blank: string) =>
    isBlankAtZero ? choose(isZero, text(blank), shown) : shown;
  const fraction = choose(isOver, text('#'.repeat(scale)), of('fraction'));
  const power = choose(isOver, text('####'), infix('||', text(exponent), of('exponent')));
  const before = wholeText(of, model, isOver, isZero);
  const width = exponent === '' ? whole.length : Math.min(whole.length, 1);
  const body = [
    before,
    ...(point === '.' ? [blanked(text('.'), ' ')] : []),
    ...(isBlankAtZero
      ? [choose(isZero, macro('spaces', call('length', fraction)), fraction)]
      : [fraction]),
    ...(exponent === '' ? [] : [blanked(power, '    ')]),
  ];
  return signed(body, before, width, { of, model, blanked });
}

/** The digits before the point with their separators; none for a number such as `.5`. */
function wholeText(
  of: Of,
  { whole, exponent, isBlankAtZero }: NumberModel,
  isOver: DuckExpression,
  isZero: DuckExpression,
): DuckExpression {
  const { digits, least } = room(whole);
  if (digits === 0) return text('');
  const known = choose(isZero, text('0'), of('whole'));
  const padded = least > 1 ? macro('pad_zeros', known, integer(least)) : known;
  const plain = choose(isOver, text('#'.repeat(digits)), padded);
  const shown = exponent === '' ? separated(plain, whole) : padded;
  const printed = isBlankAtZero
    ? choose(isZero, macro('spaces', call('length', shown)), shown)
    : shown;
  if (least > 0 || exponent !== '') return printed;
  const isEmpty = infix('AND', isZero, infix('<>', of('fraction'), text('')));
  return choose(isEmpty, text(''), printed);
}

/** A comma for each of the format, from the right, where a digit stands before it. */
function separated(digits: DuckExpression, whole: string): DuckExpression {
  const places = [...whole].flatMap((one, place) =>
    one === ',' ? [whole.length - place - 1] : [],
  );
  return places.reduceRight(
    (value, behind) => macro('comma_before', value, integer(behind)),
    digits,
  );
}

interface Signing {
  readonly of: Of;
  readonly model: NumberModel;
  readonly blanked: (shown: DuckExpression, blank: string) => DuckExpression;
}

/** What stands before and behind a number: of a negative one, and of any other. */
const signs: Readonly<
  Record<NumberModel['sign'], readonly [readonly string[], readonly string[]]>
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
  { of, model, blanked }: Signing,
): DuckExpression {
  const [front, back] = signs[model.sign].map(([negative = '', other = '']) =>
    negative === ''
      ? text('')
      : blanked(choose(of('is_negative'), text(negative), text(other)), ' '),
  );
  const room = infix('-', integer(width), call('length', before));
  const currency = blanked(text(model.currency), ' '.repeat(model.currency.length));
  const parts = [macro('spaces', room), front ?? text(''), currency, ...body, back ?? text('')];
  return infix('||', ...parts.filter((part) => part.kind !== 'text' || part.value !== ''));
}

/** `INF` and `NAN` take the places of the digits before the point. */
function oddNumber(of: Of, model: NumberModel): DuckExpression {
  const { whole, scale, exponent, point } = model;
  const behind = scale + (point === '.' ? 1 : 0);
  const isNan = infix('=', of('odd'), text('NAN'));
  const unsigned = (shown: DuckExpression, blank: string) => choose(isNan, text(blank), shown);
  const signing = { of, model: { ...model, currency: '' as const }, blanked: unsigned };
  const currency = model.currency === '' ? [] : [text(model.currency)];
  if (exponent !== '') {
    const width = Math.min(whole.length, 1) + behind + 1 + 3;
    return signed([...currency, of('odd')], of('odd'), width, signing);
  }
  const hashes = `${whole.replaceAll(/[09]/g, '#')}${point === '.' ? '.' : ''}${'#'.repeat(scale)}`;
  if (whole.length < 3)
    return signed([...currency, text(hashes)], text(hashes), hashes.length, signing);
  const room = model.isCompact ? '' : ' '.repeat(behind);
  const shown = infix('||', of('odd'), text(room));
  return signed([...currency, shown], of('odd'), whole.length, signing);
}

/** The number rounded to an integer: its sign, and its digits. */
function hexParts(value: DuckExpression, { whole }: NumberModel): DuckExpression {
  const { least } = room(whole.replaceAll(/x/gi, '9'));
  return macro('number_hex', value, integer(Math.max(least, 1)));
}

/** A number that the format has no room for is all `#`. */
function hexadecimal(parts: DuckExpression, model: NumberModel): DuckExpression {
  const { whole } = model;
  const of = fieldsOf(parts);
  const isOver = infix('>', call('length', of('whole')), integer(whole.length));
  const shown = choose(isOver, text('#'.repeat(whole.length)), cased(of('whole'), whole));
  return signed([shown], shown, whole.length, { of, model, blanked: (part) => part });
}

/** Each digit in the case of its own X, or the next one. */
function cased(digits: DuckExpression, whole: string): DuckExpression {
  const cases = [...whole].map((one, place) =>
    one === '0' ? (/[Xx]/.exec(whole.slice(place))?.[0] ?? 'X') : one,
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

/** The format of a cast of a number to a text, in its parts. */
interface NumberModel {
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
const decimalForm = /^(S?)([09,G]*)(?:([.DV])([09]*))?(E?)(S|M|P)?$/i;
const hexadecimalForm = /^([0Xx]*)(S|M|P)?$/;

const mostHexDigits = 16;

/**
 * The format of `CAST(12.5 AS STRING FORMAT '999.99')`.
 * @throws QueryFault where it is none
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_numeric_type_as_string
 */
function readNumberModel(format: string, at: number): NumberModel {
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
  const [, whole = '', back = ''] = hexadecimalForm.exec(form) ?? [];
  const foreign = flags.find((flag) => !/^FM$/i.test(flag)) ?? /[^0Xx]/.exec(form)?.[0];
  if (whole === '' || (foreign !== undefined && foreign !== back)) {
    throw wrong(`'X' cannot appear together with '${(foreign ?? '').toUpperCase()}'`, at);
  }
  if (whole.length > mostHexDigits) throw wrong(`Max number of 'X' is ${mostHexDigits}`, at);
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
