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

/** A caller may have 600 names of 100 letters compared: six million steps, which allocate nothing. */
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

/** The rows of the table for one letter less than the last, for the last, and for the next. */
type Rows = [Uint16Array, Uint16Array, Uint16Array];

/** The least cost at each place: a letter too many, one too few, a wrong one, two swapped. */
function fillRow(a: string, b: string, i: number, [before, above, row]: Readonly<Rows>): void {
  const letter = a.charCodeAt(i - 1);
  const previous = a.charCodeAt(i - 2);
  for (let j = 1; j <= b.length; j++) {
    const other = b.charCodeAt(j - 1);
    let least = Math.min(at(row, j - 1), at(above, j)) + 1;
    least = Math.min(least, at(above, j - 1) + (letter === other ? 0 : 1));
    const isSwap = i > 1 && j > 1 && letter === b.charCodeAt(j - 2) && previous === other;
    row[j] = isSwap ? Math.min(least, at(before, j - 2) + 1) : least;
  }
}

function at(row: Uint16Array, place: number): number {
  return row[place] ?? 0;
}
