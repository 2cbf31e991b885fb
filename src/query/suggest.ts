/** No name of more UTF-16 units gets a suggestion or is one: the work grows with the square of it. */
export const longestSuggestedName = 100;

/**
 * The candidate nearest to a misspelt name by edit distance, in any case of letters. Undefined where
 * none is near enough, and for a name longer than {@link longestSuggestedName}.
 * @see https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance (optimal string alignment)
 */
export function nearest(name: string, candidates: Iterable<string>): string | undefined {
  if (name.length > longestSuggestedName) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let bound = nearEnough(wanted);
  for (const candidate of candidates) {
    if (!mayBeNearer(wanted, candidate, bound)) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < bound) [best, bound] = [candidate, distance];
  }
  return best;
}

/** Whether the lengths alone leave room for a distance under the bound; an unnamed column never fits. */
function mayBeNearer(wanted: string, candidate: string, bound: number): boolean {
  if (candidate === '' || candidate.length > longestSuggestedName) return false;
  return Math.abs(wanted.length - candidate.length) < bound;
}

/** `; did you mean x?`, or nothing. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = nearest(name, candidates);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** A third of the letters may be wrong, and one always. */
function nearEnough(name: string): number {
  return Math.max(1, Math.floor(name.length / 3)) + 1;
}

function editDistance(a: string, b: string): number {
  let before: readonly number[] = [];
  let above: readonly number[] = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) row.push(cheapest({ a, b, i, j }, row, [before, above]));
    [before, above] = [above, row];
  }
  return above[b.length] ?? 0;
}

/** The least cost at a place: a letter too many, one too few, a wrong one, two swapped. */
function cheapest(
  {
    a,
    b,
    i,
    j,
  }: { readonly a: string; readonly b: string; readonly i: number; readonly j: number },
  row: readonly number[],
  [before, above]: readonly [readonly number[], readonly number[]],
): number {
  const far = Number.POSITIVE_INFINITY;
  const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
  return Math.min(
    (row[j - 1] ?? far) + 1,
    (above[j] ?? far) + 1,
    (above[j - 1] ?? far) + Number(a[i - 1] !== b[j - 1]),
    isSwap ? (before[j - 2] ?? far) + 1 : far,
  );
}
