import { ValueFault } from './value-fault.js';

/** A piece of a format: literal text, blanks, or an element in upper case. */
export type FormatPiece =
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
 * Parses a format of a type such as DATE, for example `YYYY-MM-DD`.
 * @throws ValueFault if a part of it is not an element, or an element that the type does not have: `DATE does not
 * support HH24`
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_date_time_as_string
 */
export function parseCastFormat(format: string, kind: string): readonly FormatPiece[] {
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
      throw new ValueFault(`Cannot find matched format element at ${offset}`);
    }
    pieces.push(piece);
  }
  refuseForeign(pieces, kind);
  return pieces;
}

function nextPiece(take: (form: RegExp) => RegExpExecArray | null): FormatPiece | undefined {
  const text = take(quoted)?.[1]?.replaceAll(/\\(.)/g, '$1') ?? take(plain)?.[0];
  if (text !== undefined) return { kind: 'text', text };
  const blanks = take(blank)?.[0];
  if (blanks !== undefined) return { kind: 'blank', text: blanks };
  const word = take(element)?.[0];
  if (word === undefined) return undefined;
  return { kind: 'element', text: word.toUpperCase(), letters: letterCase(word) };
}

function letterCase(word: string): Letters {
  if (/^[a-z]/.test(word)) return 'lower';
  return /^[A-Z][a-z]/.test(word) && !/^[AP]M$/i.test(word) ? 'first' : 'upper';
}

const ofDate = /^(?:[YRD]|MM|MON)/;
const ofTime = /^(?:HH|MI|SS|FF|[AP]\.?M)/;

function refuseForeign(pieces: readonly FormatPiece[], kind: string): void {
  const foreign = pieces.find(
    (piece) =>
      piece.kind === 'element' &&
      ((kind === 'DATE' && ofTime.test(piece.text)) ||
        (kind === 'TIME' && ofDate.test(piece.text)) ||
        (kind !== 'TIMESTAMP' && piece.text.startsWith('TZ'))),
  );
  if (foreign !== undefined) throw new ValueFault(`${kind} does not support ${foreign.text}`);
}
