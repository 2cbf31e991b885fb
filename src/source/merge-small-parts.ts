import { join } from 'node:path';
import type { Manifest, StoredPart } from './manifest.js';
import type { RefreshOptions } from './refresh.js';

/** More parts than these of a source are made fewer. */
const mostParts = 4;

/** A part joins those that are merged where it has at most so many times their records. */
const growth = 2;

/**
 * Makes one part of the small ones of each source that has too many; the same manifest where none has.
 * What is merged at least doubles, so that a record is written anew a few times and not each time.
 * @throws SetupError where the database cannot be written
 */
export async function mergeSmallParts(
  before: Manifest,
  { declared, cache, load }: Pick<RefreshOptions, 'declared' | 'cache' | 'load'>,
): Promise<Manifest> {
  const groups = declared.flatMap((source) => {
    const parts = partsToMerge(before.parts.filter((part) => part.source === source.name));
    const base = before.schemas.find(({ name }) => name === source.name) ?? source;
    return parts.length === 0 ? [] : [{ source, base, parts }];
  });
  if (groups.length === 0) return before;
  const database = cache.newDatabase();
  const files = (parts: readonly StoredPart[]) =>
    parts.map((part) => join(cache.folder, part.database));
  await load({
    sources: groups.map(({ parts, ...group }) => ({ ...group, files: [], parts: files(parts) })),
    database: join(cache.folder, database),
  });
  const gone = new Set(groups.flatMap(({ parts }) => parts));
  const merged = groups.map(({ source, parts }) => mergedPart(source.name, database, parts));
  return { ...before, parts: [...before.parts.filter((part) => !gone.has(part)), ...merged] };
}

/** The smallest parts, where there are too many; none where there are not. */
export function partsToMerge(parts: readonly StoredPart[]): readonly StoredPart[] {
  if (parts.length <= mostParts) return [];
  const bySize = parts.toSorted((one, other) => one.records - other.records);
  const least = parts.length - mostParts + 1;
  const chosen: StoredPart[] = [];
  let sum = 0;
  for (const part of bySize) {
    if (chosen.length >= least && part.records > growth * sum) break;
    chosen.push(part);
    sum += part.records;
  }
  return chosen;
}

function mergedPart(source: string, database: string, parts: readonly StoredPart[]): StoredPart {
  return {
    source,
    database,
    slices: parts.flatMap(({ slices }) => slices),
    records: parts.reduce((sum, { records }) => sum + records, 0),
  };
}
