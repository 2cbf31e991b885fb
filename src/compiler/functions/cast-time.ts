import { QueryFault } from '../../errors/query-fault.js';
import type { BoundCall } from '../bound/bound.js';
import {
  call,
  castTo,
  choose,
  type DuckExpression,
  duckNull,
  infix,
  integer,
  isNull,
  macro,
  text,
} from '../duckdb-sql/duckdb-sql.js';
import { letOnce } from '../duckdb-sql/let.js';
import { literalFormat } from './time-format.js';
import { exactForm, type Matcher, parseWith } from './time-parse.js';
import { civilOf } from './zone.js';

/**
 * `CAST(t AS STRING FORMAT 'YYYY-MM-DD' [AT TIME ZONE zone])`. The format must be a literal.
 * @throws QueryFault if the format has an unknown element, or one that the type does not have
 */
export function castToText(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const kind = node.args[0]?.type.kind ?? '';
  const pieces = parseTimeFormat(literalFormat(node.args[1], 'CAST', node.at) ?? '', node.at);
  refuseForeign(pieces, kind, node.at);
  return letOnce([args[0] ?? duckNull], ([value = duckNull]) => {
    const civil = civilOf(value, args[2], node);
    const printed = join(pieces, (piece) => printPiece(piece, civil, value));
    const [only = text('')] = printed;
    if (printed.length > 1) return infix('||', ...printed);
    return only.kind === 'text' ? choose(isNull(value), duckNull, only) : only;
  });
}

/** Joins neighbours that one call of strftime can print, including texts. */
function join(
  pieces: readonly FormatPiece[],
  print: (piece: FormatPiece) => DuckExpression,
): readonly DuckExpression[] {
  const printed: DuckExpression[] = [];
  for (const value of pieces.map(print)) {
    const last = printed.at(-1);
    const joined = last && joinTwo(last, value);
    if (joined === undefined) printed.push(value);
    else printed[printed.length - 1] = joined;
  }
  return printed;
}

function joinTwo(left: DuckExpression, right: DuckExpression): DuckExpression | undefined {
  if (left.kind === 'text' && right.kind === 'text') return text(left.value + right.value);
  const [a, b] = [strftimeOf(left), strftimeOf(right)];
  const civil = a?.civil ?? b?.civil;
  if (a === undefined || b === undefined || civil === undefined) return undefined;
  return call('strftime', civil, text(a.format + b.format));
}

/** The value and format of a call of strftime; a text is a format without a value. */
function strftimeOf(
  node: DuckExpression,
): { readonly civil?: DuckExpression; readonly format: string } | undefined {
  if (node.kind === 'text') return { format: node.value.replaceAll('%', '%%') };
  if (node.kind !== 'call' || node.path[0] !== 'strftime') return undefined;
  const [civil, format] = node.args;
  return civil && format?.kind === 'text' ? { civil, format: format.value } : undefined;
}

/** The elements that DuckDB's strftime prints like BigQuery. */
const strftime: Readonly<Record<string, string>> = {
  AM: '%p',
  DAY: '%A',
  DD: '%d',
  DDD: '%j',
  DY: '%a',
  HH: '%I',
  HH12: '%I',
  HH24: '%H',
  MI: '%M',
  MM: '%m',
  MON: '%b',
  MONTH: '%B',
  PM: '%p',
  RR: '%y',
  RRRR: '%Y',
  SS: '%S',
  YY: '%y',
  YYYY: '%Y',
};

const part = (name: string, civil: DuckExpression) => call('date_part', text(name), civil);
const digits = (value: DuckExpression, count: number) =>
  call('lpad', castTo(value, 'VARCHAR'), integer(count), text('0'));
const meridian = (civil: DuckExpression) =>
  call('replace', call('strftime', civil, text('%p')), text('M'), text('.M.'));
const zoneOffset = (civil: DuckExpression, instant: DuckExpression) =>
  macro('offset_text', infix('-', call('epoch_us', civil), call('epoch_us', instant)), text(''));

type Print = (civil: DuckExpression, instant: DuckExpression) => DuckExpression;

const others: Readonly<Record<string, Print>> = {
  'A.M.': meridian,
  D: (civil) => castTo(infix('+', part('dow', civil), integer(1)), 'VARCHAR'),
  'P.M.': meridian,
  SSSSS: (civil) =>
    digits(
      infix(
        '//',
        macro('positive_mod', call('epoch_us', civil), integer(86_400_000_000)),
        integer(1_000_000),
      ),
      5,
    ),
  TZH: (civil, instant) => call('left', zoneOffset(civil, instant), integer(3)),
  TZM: (civil, instant) => call('right', zoneOffset(civil, instant), integer(2)),
  Y: (civil) => digits(infix('%', part('year', civil), integer(10)), 1),
  YYY: (civil) => digits(infix('%', part('year', civil), integer(1000)), 3),
};

function printPiece(
  piece: FormatPiece,
  civil: DuckExpression,
  instant: DuckExpression,
): DuckExpression {
  if (piece.kind !== 'element') return text(piece.text);
  const format = strftime[piece.text];
  const own = others[piece.text] ?? fraction(Number(piece.text.at(-1)));
  const printed =
    format === undefined ? own(civil, instant) : call('strftime', civil, text(format));
  return /^(?:MON|DAY|DY|[AP]\.?M)/.test(piece.text) ? cased(printed, piece.letters) : printed;
}

/** `FF3`: the fraction of the second, cut, not rounded. */
function fraction(count: number): Print {
  return (civil) => call('rpad', call('strftime', civil, text('%f')), integer(count), text('0'));
}

function cased(value: DuckExpression, letters: Letters): DuckExpression {
  return letters === 'first' ? value : call(letters, value);
}

/**
 * `CAST(text AS TIMESTAMP FORMAT 'YYYY-MM-DD' [AT TIME ZONE zone])`: the compiler translates the
 * format into a regular expression.
 * @throws QueryFault if the format is invalid or cannot be used for parsing
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_string_as_datetime
 */
export function castFromText(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const [value = duckNull, , zone] = args;
  const { at } = node;
  const { kind } = node.type;
  const pieces = joinZone(parseTimeFormat(literalFormat(node.args[1], 'CAST', at) ?? '', at));
  refuseForeign(pieces, kind, at);
  refuseForParsing(pieces, kind, at);
  const matchers = pieces.map((piece, i) => matcherOf(piece, pieces[i + 1], at));
  return parseWith(matchers, [castTo(value, 'VARCHAR'), ...(zone ? [zone] : [])], node);
}

const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];

/** The field that each numeric element sets, and its maximum number of digits. */
const numbers: Readonly<
  Record<string, { readonly field: Matcher['fields'][number]; readonly maxDigits: number }>
> = {
  DD: { field: 'd', maxDigits: 2 },
  HH: { field: 'hour12', maxDigits: 2 },
  HH12: { field: 'hour12', maxDigits: 2 },
  HH24: { field: 'h', maxDigits: 2 },
  MI: { field: 'mi', maxDigits: 2 },
  MM: { field: 'mo', maxDigits: 2 },
  RR: { field: 'rr', maxDigits: 2 },
  YY: { field: 'cy', maxDigits: 2 },
  YYY: { field: 'cy', maxDigits: 3 },
};

const words: Readonly<Record<string, Matcher>> = {
  'A.M.': { form: String.raw`#(?i:[ap]))(?i:\.m\.)`, fields: ['meridian'] },
  TZM: { form: '', fields: [] },
  MON: {
    form: `#(?i:${months.map((name) => name.slice(0, 3)).join('|')}))`,
    fields: ['monthname'],
  },
  MONTH: { form: `#(?i:${months.join('|')}))`, fields: ['monthname'] },
};

function matcherOf(piece: FormatPiece, next: FormatPiece | undefined, at: number): Matcher {
  if (piece.kind === 'blank') return { form: '\\s+', fields: [] };
  if (piece.kind === 'text') return { form: exactForm(piece.text), fields: [] };
  const { text } = piece;
  if (text === 'TZH') return zoneMatcher(next);
  const matcher = words[text.replace('P.M.', 'A.M.')] ?? numberMatcher(text, isNumber(next));
  if (matcher !== undefined) return matcher;
  throw new QueryFault(`Format element '${text}' is not supported for parsing`, at);
}

/** A number has a fixed width if digits follow, otherwise it may be shorter. */
function numberMatcher(text: string, isClose: boolean): Matcher | undefined {
  if (text === 'YYYY' || text === 'RRRR') {
    return { form: isClose ? String.raw`#\d{4})` : String.raw`#\d{1,5})`, fields: ['y'] };
  }
  if (text === 'SS') return { form: `#[0-5]${isClose ? '' : '?'}\\d)`, fields: ['s'] };
  const fraction = { field: 'f' as const, maxDigits: Number(text.at(-1)) };
  const number = /^FF/.test(text) ? fraction : numbers[text];
  if (number === undefined) return undefined;
  const { field, maxDigits } = number;
  return { form: `#\\d{${isClose ? maxDigits : 1},${maxDigits}})`, fields: [field] };
}

/** The sign and hours of an offset, and its minutes if TZM follows, after an optional colon. */
function zoneMatcher(next: FormatPiece | undefined): Matcher {
  const minutes = next?.text === 'TZM' ? String.raw`:?\d{2}` : '';
  return { form: String.raw`#[-+]\d{2}${minutes})`, fields: ['zone'] };
}

/** Removes the colon of TZH:TZM, which is matched as one element. */
function joinZone(pieces: readonly FormatPiece[]): readonly FormatPiece[] {
  return pieces.filter(
    ({ text }, i) => text !== ':' || pieces[i - 1]?.text !== 'TZH' || pieces[i + 1]?.text !== 'TZM',
  );
}

function isNumber(piece: FormatPiece | undefined): boolean {
  if (piece?.kind === 'text') return /^\d/.test(piece.text);
  return piece?.kind === 'element' && !/^(?:MON|TZH|[AP]\.)/.test(piece.text);
}

/** A format has at most one element of each category. */
const categories = {
  DAY: /^D/,
  HOUR: /^HH/,
  MERIDIAN_INDICATOR: /^[AP]\.M\./,
  MINUTE: /^MI$/,
  MONTH: /^(?:MM|MON)/,
  SECOND: /^SS/,
  SUBSECOND: /^FF/,
  TIME_ZONE_HOUR: /^TZH/,
  TIME_ZONE_MINUTE: /^TZM/,
  YEAR: /^[YR]/,
};

function refuseForParsing(pieces: readonly FormatPiece[], kind: string, at: number): void {
  const elements = pieces.flatMap((piece) => (piece.kind === 'element' ? [piece.text] : []));
  for (const [category, form] of Object.entries(categories)) {
    const [first, second] = elements.filter((name) => form.test(name));
    if (second === undefined) continue;
    const message = `More than one format element in category ${category} exist: ${first} and ${second}`;
    throw new QueryFault(message, at);
  }
  const has = (form: RegExp) => elements.some((name) => form.test(name));
  const fault = [
    has(/^HH(?:12)?$/) !== has(categories.MERIDIAN_INDICATOR) &&
      'HH and HH12 need a meridian indicator (A.M. or P.M.), which needs one of them',
    pieces.some(({ text }, i) => text === 'TZM' && pieces[i - 1]?.text !== 'TZH') &&
      'TZM is supported behind TZH only',
    kind !== 'TIME' &&
      !(has(categories.YEAR) && has(categories.MONTH)) &&
      `A format without year and month is not supported for ${kind}: they would be the current ones`,
  ].find((message) => typeof message === 'string');
  if (fault !== undefined) throw new QueryFault(fault, at);
}

/** A piece of a format: a literal text, blanks, or an element in upper case. */
type FormatPiece =
  | { readonly kind: 'text' | 'blank'; readonly text: string }
  | { readonly kind: 'element'; readonly text: string; readonly letters: Letters };

/** The case of the printed letters, which is the case of the element. */
type Letters = 'upper' | 'lower' | 'first';

const quoted = /"((?:[^"\\]|\\["\\])*)"/y;
const plain = /[-./,';:]/y;
const blank = / +/y;
const element =
  /YYYY|YYY|YY|Y|RRRR|RR|MONTH|MON|MM|MI|DAY|DY|DDD|DD|D|HH24|HH12|HH|SSSSS|SS|FF[1-9]|[AP]\.M\.|AM|PM|TZH|TZM/iy;

/**
 * Parses a format such as `YYYY-MM-DD`.
 * @throws QueryFault if a part of it is not an element
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_date_time_as_string
 */
function parseTimeFormat(format: string, at: number): readonly FormatPiece[] {
  const pieces: FormatPiece[] = [];
  let offset = 0;
  const take = (form: RegExp) => {
    form.lastIndex = offset;
    const found = form.exec(format);
    if (found !== null) offset = form.lastIndex;
    return found;
  };
  while (offset < format.length) {
    const piece = nextPiece(take);
    if (piece === undefined) {
      throw new QueryFault(`Cannot find matched format element at ${offset}`, at);
    }
    pieces.push(piece);
  }
  return pieces;
}

function nextPiece(take: (form: RegExp) => RegExpExecArray | null): FormatPiece | undefined {
  const text = take(quoted)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? take(plain)?.[0];
  if (text !== undefined) return { kind: 'text', text };
  const blanks = take(blank)?.[0];
  if (blanks !== undefined) return { kind: 'blank', text: blanks };
  const word = take(element)?.[0];
  if (word === undefined) return undefined;
  return { kind: 'element', text: word.toUpperCase(), letters: lettersOf(word) };
}

function lettersOf(word: string): Letters {
  if (/^[a-z]/.test(word)) return 'lower';
  return /^[A-Z][a-z]/.test(word) && !/^[AP]M$/i.test(word) ? 'first' : 'upper';
}

const ofDate = /^(?:[YRD]|MM|MON)/;
const ofTime = /^(?:HH|MI|SS|FF|[AP]\.?M)/;

/**
 * Refuses elements that the type does not have.
 * @throws QueryFault `DATE does not support HH24`
 */
function refuseForeign(pieces: readonly FormatPiece[], kind: string, at: number): void {
  const foreign = pieces.find(
    (piece) =>
      piece.kind === 'element' &&
      ((kind === 'DATE' && ofTime.test(piece.text)) ||
        (kind === 'TIME' && ofDate.test(piece.text)) ||
        (kind !== 'TIMESTAMP' && piece.text.startsWith('TZ'))),
  );
  if (foreign !== undefined) throw new QueryFault(`${kind} does not support ${foreign.text}`, at);
}
