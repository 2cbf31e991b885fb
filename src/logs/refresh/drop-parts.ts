import type { StoredPart } from '../store/manifest.js';

/** A part with fewer records is made anew with those that come, so that there are not many of them. */
export const fewRecords = 3_000;

/** Where more is to be read for them, it stays: records may be long, and lines be none. */
const fewBytes = 8 * 1024 ** 2;

/** Whether a part is so little that it is made anew whenever something comes to its source. */
export function isSmall({ records, slices }: StoredPart): boolean {
  const bytes = slices.reduce((sum, { from, to }) => sum + to.bytes - from.bytes, 0);
  return records < fewRecords && bytes < fewBytes;
}

/**
 * The parts that are dropped, and with them those that hold later slices of the files in them: what
 * stays of a file has no gaps, so that it is loaded from where that ends.
 */
export function withLater(
  parts: readonly StoredPart[],
  isDropped: (part: StoredPart) => boolean,
): ReadonlySet<StoredPart> {
  const dropped = new Set(parts.filter(isDropped));
  const starts = new Map<string, number>();
  const isBehind = ({ slices }: StoredPart) =>
    slices.some(({ file, from }) => from.bytes >= (starts.get(file) ?? Number.POSITIVE_INFINITY));
  // The loop comes to what is added in it, too.
  for (const { slices } of dropped) {
    for (const { file, from } of slices) {
      starts.set(file, Math.min(from.bytes, starts.get(file) ?? from.bytes));
    }
    for (const later of parts.filter(isBehind)) dropped.add(later);
  }
  return dropped;
}
