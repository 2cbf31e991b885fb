import type { TextFunction } from './script-function.js';

/** Unicode's full case folding: a letter whose upper case is several letters becomes these, in lower case. */
export function foldCase(token: string): string {
  const folded = [...token].map((letter) => {
    const lower = letter.toLowerCase();
    const upper = lower.toUpperCase();
    return upper.length > lower.length ? upper.toLowerCase() : lower;
  });
  return folded.join('').replaceAll('ς', 'σ');
}

/** Normalizes a text to a form such as NFKC; the compiler passes no other form. */
function normalize(text: string, form: string | null): string {
  return text.normalize(form ?? 'NFC');
}

/** @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#normalize */
export const normalizeFunctions: readonly TextFunction[] = [
  {
    name: 'js_casefold',
    input: 'texts',
    result: 'VARCHAR',
    call: ([text = null, form = null]) =>
      text === null ? null : normalize(foldCase(normalize(text, form)), form),
  },
  {
    name: 'js_normalize',
    input: 'texts',
    result: 'VARCHAR',
    call: ([text = null, form = null]) => (text === null ? null : normalize(text, form)),
  },
];
