import { QueryFault } from '../../errors/query-fault.js';
import type { BoundCall } from '../bound/bound.js';
import { castTo, type DuckExpression, duckNull } from '../duckdb-sql/duckdb-sql.js';
import { type ModelPiece, readModel, refuseForeign } from './cast-model.js';
import { literalFormat } from './time-element.js';
import { exactForm, type Matcher, parsedBy } from './time-parse.js';

/**
 * `cast(text as timestamp format 'YYYY-MM-DD' [at time zone zone])`: the format becomes a regular
 * expression when compiling.
 * @throws QueryFault where the format is none that a text can be read by
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_string_as_datetime
 */
export function castFromText(args: readonly DuckExpression[], node: BoundCall): DuckExpression {
  const [value = duckNull, , zone] = args;
  const { at } = node;
  const { kind } = node.type;
  const pieces = joinZone(readModel(literalFormat(node.args[1], 'CAST', at) ?? '', at));
  refuseForeign(pieces, kind, at);
  refuseModel(pieces, kind, at);
  const matchers = pieces.map((piece, i) => matcherOf(piece, pieces[i + 1], at));
  return parsedBy(matchers, [castTo(value, 'VARCHAR'), ...(zone ? [zone] : [])], node);
}

const months = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];

/** What reads each element: the field, how many digits at most, and what they may be. */
const numbers: Readonly<
  Record<string, { readonly field: Matcher['fields'][number]; readonly most: number }>
> = {
  DD: { field: 'd', most: 2 },
  HH: { field: 'hour12', most: 2 },
  HH12: { field: 'hour12', most: 2 },
  HH24: { field: 'h', most: 2 },
  MI: { field: 'mi', most: 2 },
  MM: { field: 'mo', most: 2 },
  RR: { field: 'rr', most: 2 },
  YY: { field: 'cy', most: 2 },
  YYY: { field: 'cy', most: 3 },
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

function matcherOf(piece: ModelPiece, next: ModelPiece | undefined, at: number): Matcher {
  if (piece.kind === 'blank') return { form: '\\s+', fields: [] };
  if (piece.kind === 'text') return { form: exactForm(piece.text), fields: [] };
  const { text } = piece;
  if (text === 'TZH') return zoneMatcher(next);
  const matcher = words[text.replace('P.M.', 'A.M.')] ?? numberMatcher(text, isNumber(next));
  if (matcher !== undefined) return matcher;
  throw new QueryFault(`Format element '${text}' is not supported for parsing`, at);
}

/** As many digits as the element has letters where more digits follow, and maybe fewer elsewhere. */
function numberMatcher(text: string, isClose: boolean): Matcher | undefined {
  if (text === 'YYYY' || text === 'RRRR') {
    return { form: isClose ? String.raw`#\d{4})` : String.raw`#\d{1,5})`, fields: ['y'] };
  }
  if (text === 'SS') return { form: `#[0-5]${isClose ? '' : '?'}\\d)`, fields: ['s'] };
  const fraction = { field: 'f' as const, most: Number(text.at(-1)) };
  const number = /^FF/.test(text) ? fraction : numbers[text];
  if (number === undefined) return undefined;
  const { field, most } = number;
  return { form: `#\\d{${isClose ? most : 1},${most}})`, fields: [field] };
}

/** The sign and hours of a zone, and its minutes where they follow, maybe behind a colon. */
function zoneMatcher(next: ModelPiece | undefined): Matcher {
  const minutes = next?.text === 'TZM' ? String.raw`:?\d{2}` : '';
  return { form: String.raw`#[-+]\d{2}${minutes})`, fields: ['zone'] };
}

/** Without the colon of TZH:TZM, which are read as one. */
function joinZone(pieces: readonly ModelPiece[]): readonly ModelPiece[] {
  return pieces.filter(
    ({ text }, i) => text !== ':' || pieces[i - 1]?.text !== 'TZH' || pieces[i + 1]?.text !== 'TZM',
  );
}

function isNumber(piece: ModelPiece | undefined): boolean {
  if (piece?.kind === 'text') return /^\d/.test(piece.text);
  return piece?.kind === 'element' && !/^(?:MON|TZH|[AP]\.)/.test(piece.text);
}

/** Of each of these a format has one element at most. */
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

function refuseModel(pieces: readonly ModelPiece[], kind: string, at: number): void {
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
