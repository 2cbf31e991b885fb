import { type FormatPiece, parseCastFormat } from './cast-time-format.js';
import { ValueFault } from './value-fault.js';

/** A part of a string parsed with a format: literal text, blanks, or the value of a field. */
export type Reading =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'blank' }
  | FieldReading;

/** The value of a field; the regular expression has no groups, and its letters match in either case. */
export interface FieldReading {
  readonly kind: 'field';
  readonly form: string;
  readonly field: ReadField;
}

/** The fields; `cy` and `rr` are the last digits of a year. */
type ReadField =
  | ('y' | 'cy' | 'rr' | 'mo' | 'monthname' | 'd' | 'h' | 'hour12')
  | ('meridian' | 'mi' | 's' | 'f' | 'zone');

/**
 * Lists the parts that `CAST(text AS kind FORMAT format)` reads from a string, from left to right; blanks around it
 * are not part of the list.
 * @throws ValueFault if the format is invalid or cannot be used for parsing
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_string_as_datetime
 */
export function formatReadings(format: string, kind: string): readonly Reading[] {
  const pieces = joinZone(parseCastFormat(format, kind).filter(({ text }) => text !== ''));
  refuseForParsing(pieces, kind);
  return pieces.flatMap((piece, i) => pieceReading(piece, pieces[i + 1]) ?? []);
}

export const monthNames: readonly string[] = [
  ...['january', 'february', 'march', 'april', 'may', 'june'],
  ...['july', 'august', 'september', 'october', 'november', 'december'],
];

/** The field that each numeric element sets; all but `YYY` have two digits. */
const numbers: Readonly<Record<string, ReadField>> = {
  ...{ DD: 'd', HH: 'hour12', HH12: 'hour12', HH24: 'h', MI: 'mi' },
  ...{ MM: 'mo', RR: 'rr', YY: 'cy', YYY: 'cy' },
};

const words: Readonly<Record<string, FieldReading>> = {
  'A.M.': reading('meridian', String.raw`[ap]\.m\.`),
  'P.M.': reading('meridian', String.raw`[ap]\.m\.`),
  MON: reading('monthname', monthNames.map((name) => name.slice(0, 3)).join('|')),
  MONTH: reading('monthname', monthNames.join('|')),
};

function reading(field: ReadField, form: string): FieldReading {
  return { kind: 'field', form, field };
}

function pieceReading(piece: FormatPiece, next: FormatPiece | undefined): Reading | undefined {
  if (piece.kind === 'blank') return { kind: 'blank' };
  if (piece.kind === 'text') return { kind: 'text', text: piece.text };
  const { text } = piece;
  // TZH also reads the minutes.
  if (text === 'TZM') return undefined;
  // The sign and hours of an offset, and its minutes if TZM follows, after an optional colon.
  if (text === 'TZH') {
    return reading('zone', `[-+]\\d{2}${next?.text === 'TZM' ? ':?\\d{2}' : ''}`);
  }
  const found = words[text] ?? numberReading(text, isNumber(next));
  if (found !== undefined) return found;
  throw new ValueFault(`Format element '${text}' is not supported for parsing`);
}

/** A number has a fixed width if digits follow, otherwise it may be shorter. */
function numberReading(text: string, isClose: boolean): FieldReading | undefined {
  if (text === 'YYYY' || text === 'RRRR') return reading('y', isClose ? '\\d{4}' : '\\d{1,5}');
  if (text === 'SS') return reading('s', isClose ? '[0-5]\\d' : '[0-5]?\\d');
  const isFraction = text.startsWith('FF');
  const maxDigits = isFraction ? Number(text.at(-1)) : text === 'YYY' ? 3 : 2;
  const field = isFraction ? 'f' : numbers[text];
  return field && reading(field, `\\d{${isClose ? maxDigits : 1},${maxDigits}}`);
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

function refuseForParsing(pieces: readonly FormatPiece[], kind: string): void {
  const elements = pieces.flatMap((piece) => (piece.kind === 'element' ? [piece.text] : []));
  for (const [category, form] of Object.entries(categories)) {
    const [first, second] = elements.filter((name) => form.test(name));
    if (second === undefined) continue;
    const message = `More than one format element in category ${category} exist: ${first} and ${second}`;
    throw new ValueFault(message);
  }
  const has = (form: RegExp) => elements.some((name) => form.test(name));
  const fault = [
    has(/^HH(?:12)?$/) !== has(categories.MERIDIAN_INDICATOR) &&
      'HH and HH12 need a meridian indicator (A.M. or P.M.), which needs one of them',
    pieces.some(({ text }, i) => text === 'TZM' && pieces[i - 1]?.text !== 'TZH') &&
      'TZM is supported only after TZH',
    kind !== 'TIME' &&
      !(has(categories.YEAR) && has(categories.MONTH)) &&
      `A format without year and month is not supported for ${kind}: they would be the current ones`,
  ].find((message) => typeof message === 'string');
  if (fault !== undefined) throw new ValueFault(fault);
}
