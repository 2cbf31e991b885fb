/** The maximum length, in UTF-16 units, of compared names: the edit distance takes quadratic time. */
export const maxSuggestedName = 100;

/**
 * The candidate most similar to a misspelt name by edit distance, ignoring case. Undefined if none is
 * similar enough, or the name is longer than {@link maxSuggestedName}. `maxDistance` is the largest number of letters that
 * may differ.
 * @see https://en.wikipedia.org/wiki/Damerau%E2%80%93Levenshtein_distance (optimal string alignment)
 */
export function nearest(
  name: string,
  candidates: Iterable<string>,
  maxDistance = usualDistance(name),
): string | undefined {
  if (name.length > maxSuggestedName) return undefined;
  const wanted = name.toLowerCase();
  let best: string | undefined;
  let limit = maxDistance + 1;
  for (const candidate of candidates) {
    if (!mayBeNearer(wanted, candidate, limit)) continue;
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < limit) [best, limit] = [candidate, distance];
  }
  return best;
}

/** Whether the lengths allow a distance below the limit; empty names, of unnamed columns, are never suggested. */
function mayBeNearer(wanted: string, candidate: string, limit: number): boolean {
  if (candidate === '' || candidate.length > maxSuggestedName) return false;
  return Math.abs(wanted.length - candidate.length) < limit;
}

/** `; did you mean x?` with the {@link nearest} candidate, or an empty text. */
export function didYouMean(name: string, candidates: Iterable<string>): string {
  const near = nearest(name, candidates);
  return near === undefined ? '' : `; did you mean ${near}?`;
}

/** A third of the letters, but at least one. */
function usualDistance(name: string): number {
  return Math.max(1, Math.floor(name.length / 3));
}

/** Allocates nothing per letter: one request can compare 600 names of 100 letters, which takes six million steps. */
function editDistance(a: string, b: string): number {
  let [before, above, row] = [0, 1, 2].map(() => new Uint16Array(b.length + 1)) as Rows;
  for (let j = 0; j <= b.length; j++) above[j] = j;
  for (let i = 1; i <= a.length; i++) {
    row[0] = i;
    fillRow(a, b, i, [before, above, row]);
    [before, above, row] = [above, row, before];
  }
  return above[b.length] ?? 0;
}

/** Three rows of the distance table: the one before the last, the last, and the current one. */
type Rows = [Uint16Array, Uint16Array, Uint16Array];

/** The minimum cost in each column: an insertion, a deletion, a substitution, a transposition. */
function fillRow(a: string, b: string, i: number, [before, above, row]: Readonly<Rows>): void {
  const letter = a.charCodeAt(i - 1);
  const previous = a.charCodeAt(i - 2);
  for (let j = 1; j <= b.length; j++) {
    const other = b.charCodeAt(j - 1);
    let cost = Math.min(at(row, j - 1), at(above, j)) + 1;
    cost = Math.min(cost, at(above, j - 1) + (letter === other ? 0 : 1));
    const isSwap = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && previous === other;
    row[j] = isSwap ? Math.min(cost, at(before, j - 2) + 1) : cost;
  }
}

function at(row: Uint16Array, index: number): number {
  return row[index] ?? 0;
}
