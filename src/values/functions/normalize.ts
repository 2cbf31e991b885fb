/** Folds a letter: Cherokee letters fold to upper case, and the dotless i is a separate letter. */
function foldLetter(letter: string): string {
  if (letter === 'ı') return letter;
  const upper = letter.toLowerCase().toUpperCase();
  return /^\p{Script=Cherokee}/u.test(letter) ? upper : upper.toLowerCase();
}

/**
 * Folds the case of a string as Unicode does: letters with the same upper case become the same letters, `ß` becomes
 * `ss`. Normalizes it before and after to a form such as NFKC.
 * @see https://www.unicode.org/Public/UCD/latest/ucd/CaseFolding.txt
 * @see https://cloud.google.com/bigquery/docs/reference/standard-sql/string_functions#normalize
 */
export function normalizedFold(text: string, form: string): string {
  const folded = text.normalize(form).replace(/[A-Z]+|[^\0-\x7f]/gu, foldLetter);
  return folded.normalize(form);
}
