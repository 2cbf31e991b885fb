import type { Slice, StoredPart } from '../store/manifest.js';

/** A part with fewer records is tiny if its input was small, too. */
export const tinyPartRecords = 3_000;

/** The maximum input of a tiny part, in bytes: writing this much takes about as long as writing a line. */
const tinyPartBytes = 64 * 1024;

/** Whether a part is rebuilt whenever its source gets new records, so that there are never many small parts. */
export function isTiny({ records, slices }: StoredPart): boolean {
  const bytes = slices.reduce((sum, { from, to }) => sum + to.bytes - from.bytes, 0);
  return records < tinyPartRecords && bytes <= tinyPartBytes;
}

/**
 * Returns the chosen parts, plus the parts with later or earlier slices of the same files. Dropping later slices too
 * leaves no gaps in a file, so that loading resumes at its end; a kept part needs its earlier slices too, because
 * dropping them would drop it.
 */
export function withSlices(
  which: 'later' | 'earlier',
  parts: readonly StoredPart[],
  isChosen: (part: StoredPart) => boolean,
): ReadonlySet<StoredPart> {
  const orderKey = ({ from }: Slice) => (which === 'later' ? from.bytes : -from.bytes);
  const chosen = new Set(parts.filter(isChosen));
  const places = new Map<string | undefined, number>();
  const isHigher = ({ slices }: StoredPart) =>
    slices.some((slice) => orderKey(slice) >= (places.get(slice.file) ?? Number.POSITIVE_INFINITY));
  // The loop also visits the parts added during it.
  for (const { slices } of chosen) {
    for (const slice of slices.filter(({ file }) => file !== undefined)) {
      const place = orderKey(slice);
      places.set(slice.file, Math.min(place, places.get(slice.file) ?? place));
    }
    for (const other of parts.filter(isHigher)) chosen.add(other);
  }
  return chosen;
}
