import { QueryFault } from '../../errors/query-fault.js';

/** A piece of a format: text as it stands, or the letters of an element behind its `%`. */
export type Piece = { readonly text: string } | { readonly element: string };

/** Elements that stand for others. */
const composites: Readonly<Record<string, string>> = {
  c: '%a %b %e %H:%M:%S %Y',
  D: '%m/%d/%y',
  F: '%Y-%m-%d',
  R: '%H:%M',
  T: '%H:%M:%S',
  X: '%H:%M:%S',
  h: '%b',
  r: '%I:%M:%S %p',
  x: '%m/%d/%y',
};

/** Last letters of the elements that mean nothing for a type. */
const foreignLetters: Readonly<Record<string, string>> = {
  DATE: 'cHIklMPpRrSsTXZz',
  DATETIME: 'Zz',
  TIME: 'AaBbhCcDdeFGgjmQsUuVWwxYyZz',
};

/** Whether a type has nothing that an element prints: hours of a DATE. */
export function isForeign(element: string, kind: string): boolean {
  return foreignLetters[kind]?.includes(element.at(-1) ?? '') ?? false;
}

const pieceForm = /%(E[\d*]S|E4Y|E[zcCxXyY]|O[deHIklmMSuUVwWy]|[^EO])|([^%]+)|(.)/gsu;

/**
 * A format as pieces; `%F` and its like are those that they stand for, unless the type lacks them.
 * @throws QueryFault for an element that there is not
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/format-elements#format_elements_date_time
 */
export function readFormat(format: string, kind: string, at: number): readonly Piece[] {
  return [...format.matchAll(pieceForm)].flatMap(([, found, text, rest]) => {
    if (rest !== undefined) throw new QueryFault(`Invalid format element in '${format}'`, at);
    if (text !== undefined) return [{ text }];
    const element = (found ?? '').replace(/^O|^E(?=[cCxXyY])/, '');
    if (!elements.test(element)) {
      throw new QueryFault(`Format element %${element} is not supported`, at);
    }
    const composite = isForeign(element, kind) ? undefined : composites[element];
    return composite === undefined ? [plainPiece(element)] : readFormat(composite, kind, at);
  });
}

const elements = /^(?:[AaBbCcDdeFGgHhIJjklMmnPpQRrSsTtUuVWwXxYyZz%]|E4Y|Ez|E[\d*]S)$/;

const plainTexts: Readonly<Record<string, string>> = { '%': '%', n: '\n', t: '\t' };

function plainPiece(element: string): Piece {
  const text = plainTexts[element];
  return text === undefined ? { element } : { text };
}

/**
 * The value of a call's format, which must be a literal; undefined where it is NULL.
 * @throws QueryFault where it is none
 */
export function literalFormat(
  format: { readonly kind: string; readonly value?: unknown } | undefined,
  name: string,
  at: number,
): string | undefined {
  if (format?.kind !== 'literal') {
    throw new QueryFault(`${name} requires a format that is a literal`, at);
  }
  return format.value === null ? undefined : String(format.value);
}
