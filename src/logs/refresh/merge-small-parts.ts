import { join } from 'node:path';
import { holdsNothing, joinHoldings } from '../columns/contents.js';
import { joinSlices, type Manifest, onlyProject, type StoredPart } from '../store/manifest.js';
import { isSmall } from './drop-parts.js';
import type { RefreshOptions } from './refresh.js';

/** More parts than these of a source are made fewer. */
const mostParts = 4;

/** A part joins those that are merged where it has at most so many times their records. */
const growth = 2;

/** With more than these of a source even a start merges them, which without a server nobody does. */
const mostAtStart = 16;

/** Whether there are so many parts of a source that every query waits for them. */
export function hasManyParts({ parts, schemas }: Manifest): boolean {
  return schemas.some(
    ({ name }) => parts.filter(({ source }) => source === name).length > mostAtStart,
  );
}

/** Parts that became one. */
export interface Merge {
  readonly gone: readonly StoredPart[];
  readonly merged: StoredPart;
}

/**
 * Makes one part of the small ones of each source that has too many; nothing where none has. What is
 * merged at least doubles, so that a record is written anew a few times and not each time.
 * @throws SetupError where the database cannot be written
 */
export async function mergeSmallParts(
  { parts, schemas }: Manifest,
  { declared, cache, load }: Pick<RefreshOptions, 'declared' | 'cache' | 'load'>,
): Promise<readonly Merge[]> {
  const groups = declared.flatMap((source) => {
    const gone = partsToMerge(parts.filter((part) => part.source === source.name));
    const base = schemas.find(({ name }) => name === source.name) ?? source;
    return gone.length === 0 ? [] : [{ source, base, gone }];
  });
  if (groups.length === 0) return [];
  const database = cache.newDatabase();
  const sources = groups.map(({ gone, source, base }) => {
    const files = gone.map((part) => join(cache.folder, part.database));
    return { source, base, files: [], parts: files };
  });
  await load({ sources, database: join(cache.folder, database) }).catch((error: unknown) => {
    cache.discard(database);
    throw error;
  });
  return groups.map(({ source, gone }) => ({
    gone,
    merged: {
      source: source.name,
      database,
      slices: joinSlices(gone.flatMap(({ slices }) => slices)),
      records: gone.reduce((sum, { records }) => sum + records, 0),
      holds: joinHoldings(
        source,
        gone.map(({ holds }) => holds ?? holdsNothing),
      ),
      project: onlyProject(gone),
    },
  }));
}

/**
 * The manifest with parts merged, as far as they are still those of it: while they were merged, a file
 * of theirs may have been changed. The same manifest where none is.
 */
export function withMerged(manifest: Manifest, merges: readonly Merge[]): Manifest {
  let parts = manifest.parts;
  for (const { gone, merged } of merges) {
    const isGone = (part: StoredPart) =>
      gone.some(({ source, database }) => part.source === source && part.database === database);
    const left = parts.filter(isGone);
    if (left.length < gone.length) continue;
    const slices = joinSlices(left.flatMap((part) => part.slices));
    parts = [...parts.filter((part) => !isGone(part)), { ...merged, slices }];
  }
  return parts === manifest.parts ? manifest : { ...manifest, parts };
}

/** The smallest parts, where there are too many, but one that will be made anew; else none. */
export function partsToMerge(parts: readonly StoredPart[]): readonly StoredPart[] {
  if (parts.length <= mostParts) return [];
  const bySize = parts
    .filter((part) => !isSmall(part))
    .toSorted((one, other) => one.records - other.records);
  const least = parts.length - mostParts + 1;
  const chosen: StoredPart[] = [];
  let sum = 0;
  for (const part of bySize) {
    if (chosen.length >= least && part.records > growth * sum) break;
    chosen.push(part);
    sum += part.records;
  }
  return chosen.length > 1 ? chosen : [];
}
