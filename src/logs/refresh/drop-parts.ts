import type { StoredPart } from '../store/manifest.js';

/**
 * A part with fewer records is rebuilt with new records, so that there are never many small parts.
 */
export const smallPartRecords = 3_000;

/**
 * A part that was read from more bytes is not rebuilt: records may be long, and lines may be bad.
 */
const smallPartBytes = 8 * 1024 ** 2;

/** Whether a part is small enough to be rebuilt whenever its source gets new records. */
export function isSmall({ records, slices }: StoredPart): boolean {
  const bytes = slices.reduce((sum, { from, to }) => sum + to.bytes - from.bytes, 0);
  return records < smallPartRecords && bytes < smallPartBytes;
}

/**
 * The parts to drop, plus the parts with later slices of the same files: the remaining slices of a file
 * then have no gaps, and loading continues at their end.
 */
export function withLater(
  parts: readonly StoredPart[],
  isDropped: (part: StoredPart) => boolean,
): ReadonlySet<StoredPart> {
  const dropped = new Set(parts.filter(isDropped));
  const starts = new Map<string, number>();
  const isLater = ({ slices }: StoredPart) =>
    slices.some(({ file, from }) => from.bytes >= (starts.get(file) ?? Number.POSITIVE_INFINITY));
  // The loop also visits the parts that are added in it.
  for (const { slices } of dropped) {
    for (const { file, from } of slices) {
      starts.set(file, Math.min(from.bytes, starts.get(file) ?? from.bytes));
    }
    for (const later of parts.filter(isLater)) dropped.add(later);
  }
  return dropped;
}
