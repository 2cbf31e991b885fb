import type { Slice, StoredPart } from '../store/manifest.js';

/** A part with fewer records is tiny if it was read from few bytes, too. */
export const tinyPartRecords = 3_000;

/** A tiny part was read from at most this many bytes: writing one takes about as long as writing a line. */
const tinyPartBytes = 64 * 1024;

/** Whether a part is rebuilt whenever its source gets new records, so that there are never many small parts. */
export function isTiny({ records, slices }: StoredPart): boolean {
  const bytes = slices.reduce((sum, { from, to }) => sum + to.bytes - from.bytes, 0);
  return records < tinyPartRecords && bytes <= tinyPartBytes;
}

/**
 * Some parts, plus the parts with later or earlier slices of the same files. When later ones are dropped too, the remaining
 * slices of a file have no gaps, and loading continues at their end; a part that is kept would be dropped with earlier ones.
 */
export function withSlices(
  which: 'later' | 'earlier',
  parts: readonly StoredPart[],
  isChosen: (part: StoredPart) => boolean,
): ReadonlySet<StoredPart> {
  const placeOf = ({ from }: Slice) => (which === 'later' ? from.bytes : -from.bytes);
  const chosen = new Set(parts.filter(isChosen));
  const places = new Map<string | undefined, number>();
  const isHigher = ({ slices }: StoredPart) =>
    slices.some((slice) => placeOf(slice) >= (places.get(slice.file) ?? Number.POSITIVE_INFINITY));
  // The loop also visits the parts that are added in it.
  for (const { slices } of chosen) {
    for (const slice of slices.filter(({ file }) => file !== undefined)) {
      const place = placeOf(slice);
      places.set(slice.file, Math.min(place, places.get(slice.file) ?? place));
    }
    for (const other of parts.filter(isHigher)) chosen.add(other);
  }
  return chosen;
}
