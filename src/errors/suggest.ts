import levenshtein from 'damerau-levenshtein';

/** The maximum length, in UTF-16 units, of compared names: the edit distance takes quadratic time. */
export const maxSuggestedName = 100;

/**
 * The candidate most similar to a misspelt name by edit distance, ignoring case. Undefined if none is similar
 * enough, or the name is longer than {@link maxSuggestedName}. `maxDistance` is the maximum number of letters that
 * may differ: by default a third, but at least one. Of equally similar names, a longer one is nearer, because
 * letters are more often omitted than added: `cout` means `count` rather than `cot`.
 * @see https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance (optimal string alignment)
 */
export function nearest(
  name: string,
  candidates: Iterable<string>,
  maxDistance = Math.max(1, Math.floor(name.length / 3)),
): string | undefined {
  if (name.length > maxSuggestedName) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let limit = maxDistance + 0.5;
  for (const candidate of candidates) {
    if (!mayBeNearer(wanted, candidate, limit)) continue;
    const isLonger = candidate.length > wanted.length;
    const distance = levenshtein(wanted, candidate.toLowerCase()).steps - (isLonger ? 0.5 : 0);
    if (distance < limit) [best, limit] = [candidate, distance];
  }
  return best;
}

/** Whether the lengths allow a distance below the limit; empty names, of unnamed columns, are never suggested. */
function mayBeNearer(wanted: string, candidate: string, limit: number): boolean {
  if (candidate === '' || candidate.length > maxSuggestedName) return false;
  return Math.abs(wanted.length - candidate.length) - 0.5 < limit;
}

/** `; did you mean x?` with the {@link nearest} candidate, or an empty string. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = nearest(name, candidates);
  return near === undefined ? '' : `; did you mean ${near}?`;
}
