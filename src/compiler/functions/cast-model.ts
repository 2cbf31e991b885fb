import { QueryFault } from '../../errors/query-fault.js';

/** A piece of the format of a cast: text as it stands, blanks, or an element in upper case. */
export type ModelPiece =
  | { readonly kind: 'text' | 'blank'; readonly text: string }
  | { readonly kind: 'element'; readonly text: string; readonly letters: Letters };

/** How an element writes its letters, which is how it is written itself. */
export type Letters = 'upper' | 'lower' | 'first';

const quoted = /"((?:[^"\\]|\\["\\])*)"/y;
const plain = /[-./,';:]/y;
const blank = / +/y;
const element =
  /YYYY|YYY|YY|Y|RRRR|RR|MONTH|MON|MM|MI|DAY|DY|DDD|DD|D|HH24|HH12|HH|SSSSS|SS|FF[1-9]|[AP]\.M\.|AM|PM|TZH|TZM/iy;

/**
 * The format of `CAST(… FORMAT 'YYYY-MM-DD')` as pieces.
 * @throws QueryFault where a part of it is no element
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_date_time_as_string
 */
export function readModel(model: string, at: number): readonly ModelPiece[] {
  const pieces: ModelPiece[] = [];
  let place = 0;
  const take = (form: RegExp) => {
    form.lastIndex = place;
    const found = form.exec(model);
    if (found !== null) place = form.lastIndex;
    return found;
  };
  while (place < model.length) {
    const piece = nextPiece(take);
    if (piece === undefined) {
      throw new QueryFault(`Cannot find matched format element at ${place}`, at);
    }
    pieces.push(piece);
  }
  return pieces;
}

function nextPiece(take: (form: RegExp) => RegExpExecArray | null): ModelPiece | undefined {
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
 * Refuses an element that a type has nothing for.
 * @throws QueryFault `DATE does not support HH24`
 */
export function refuseForeign(pieces: readonly ModelPiece[], kind: string, at: number): void {
  const foreign = pieces.find(
    (piece) =>
      piece.kind === 'element' &&
      ((kind === 'DATE' && ofTime.test(piece.text)) ||
        (kind === 'TIME' && ofDate.test(piece.text)) ||
        (kind !== 'TIMESTAMP' && piece.text.startsWith('TZ'))),
  );
  if (foreign !== undefined) throw new QueryFault(`${kind} does not support ${foreign.text}`, at);
}
