import { type TextFunction, textFunction } from './script-function.js';

/**
 * Unicode's full case folding: letters with the same upper case become the same letters, `ß` becomes `ss`.
 * @see https://www.unicode.org/Public/UCD/latest/ucd/CaseFolding.txt
 */
export function foldCase(token: string): string {
  return token.replace(/[A-Z]+|[^\0-\x7f]/gu, foldLetter);
}

/** Folds a letter: Cherokee letters fold to upper case, and the dotless i is a separate letter. */
function foldLetter(letter: string): string {
  if (letter === 'ı') return letter;
  const upper = letter.toLowerCase().toUpperCase();
  return /^\p{Script=Cherokee}/u.test(letter) ? upper : upper.toLowerCase();
}

/** Normalizes a text to a form such as NFKC; the compiler passes no other form. */
function normalize(text: string, form: string | null): string {
  return text.normalize(form ?? 'NFC');
}

/**
 * Mappings and forms of Unicode; JavaScript handles letters that become several, and the final sigma.
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#normalize
 */
export const normalizeFunctions: readonly TextFunction[] = [
  textFunction('js_casefold', ([text = null, form = null]) =>
    text === null ? null : normalize(foldCase(normalize(text, form)), form),
  ),
  textFunction('js_normalize', ([text = null, form = null]) =>
    text === null ? null : normalize(text, form),
  ),
  textFunction('js_lower', ([text = null]) => text?.toLowerCase() ?? null),
  textFunction('js_upper', ([text = null]) => text?.toUpperCase() ?? null),
];
