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
import { type NumberModel, readNumberModel } from './cast-number-model.js';
import { formatNumber } from './format-number.js';
import { literalFormat } from './time-element.js';

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
