import type { Slice, StoredPart } from '../store/manifest.js';

/**
 * A part with fewer records is rebuilt with new records, so that there are never many small parts.
 */
export const smallPartRecords = 3_000;

/**
 * A part that was read from more bytes is not rebuilt: records may be long, and lines may be bad.
 */
const smallPartBytes = 8 * 1024 ** 2;

/** A part that was read from fewer bytes is rebuilt with any new records: writing one takes about as long as a line. */
const tinyPartBytes = 64 * 1024;

/** A larger part is rebuilt if it was read from at most this many times as many bytes as all that is added to it. */
const growth = 2;

function isSmall(part: StoredPart): boolean {
  return part.records < smallPartRecords && bytesOf(part) < smallPartBytes;
}

/** Whether a part is rebuilt with any new records, so that merging it would be in vain. */
export function isTiny(part: StoredPart): boolean {
  return isSmall(part) && bytesOf(part) <= tinyPartBytes;
}

function bytesOf({ slices }: StoredPart): number {
  return slices.reduce((sum, { from, to }) => sum + to.bytes - from.bytes, 0);
}

/**
 * The small parts of one source to rebuild with new records of this size. A part grows by a half at least, so that each record
 * is written only a few times, and a line does not cost what all small parts do.
 */
export function partsToRebuild(
  parts: readonly StoredPart[],
  newBytes: number,
): readonly StoredPart[] {
  const bySize = parts.filter(isSmall).toSorted((one, other) => bytesOf(one) - bytesOf(other));
  const chosen: StoredPart[] = [];
  let sum = newBytes;
  for (const part of bySize) {
    const bytes = bytesOf(part);
    if (bytes > Math.max(tinyPartBytes, growth * sum)) break;
    chosen.push(part);
    sum += bytes;
  }
  return chosen;
}

/**
 * The parts to drop, plus the parts with later slices of the same files: the remaining slices of a file
 * then have no gaps, and loading continues at their end.
 */
export function withLater(
  parts: readonly StoredPart[],
  isDropped: (part: StoredPart) => boolean,
): ReadonlySet<StoredPart> {
  return withOthers(parts, isDropped, ({ from }) => from.bytes);
}

/** The parts to keep, plus the parts with earlier slices of the same files, with which they would be dropped. */
export function withEarlier(
  parts: readonly StoredPart[],
  isKept: (part: StoredPart) => boolean,
): ReadonlySet<StoredPart> {
  return withOthers(parts, isKept, ({ from }) => -from.bytes);
}

/** Some parts, plus the parts with slices of the same files at a higher place. */
function withOthers(
  parts: readonly StoredPart[],
  isChosen: (part: StoredPart) => boolean,
  placeOf: (slice: Slice) => number,
): ReadonlySet<StoredPart> {
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
