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
    const distance = editDistance(wanted, candidate.toLowerCase()) - (isLonger ? 0.5 : 0);
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

/**
 * The edit distance: an insertion, a deletion, a substitution and a swap of neighbours each cost 1. For names of up to
 * {@link maxSuggestedName} letters, it is less than 256.
 */
function editDistance(a: string, b: string): number {
  const width = b.length + 1;
  // The distance between the first i letters of `a` and the first j of `b` is at i * width + j.
  const table = new Uint8Array((a.length + 1) * width);
  const at = (i: number, j: number) => table[i * width + j] ?? 0;
  for (let i = 1; i <= a.length; i++) table[i * width] = i;
  for (let j = 1; j <= b.length; j++) table[j] = j;
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const change = a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1;
      const cost = Math.min(at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + change);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      table[i * width + j] = isSwap ? Math.min(cost, at(i - 2, j - 2) + 1) : cost;
    }
  }
  return at(a.length, b.length);
}
