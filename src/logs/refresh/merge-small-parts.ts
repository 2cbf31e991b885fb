import { join } from 'node:path';
import { contentsOfParts, joinContents } from '../columns/contents.js';
import { canReadAs } from '../columns/fit.js';
import type { Manifest, StoredPart } from '../store/manifest.js';
import * as manifests from '../store/manifest.js';
import { isTiny } from './drop-parts.js';
import type { RefreshOptions } from './refresh.js';

/** The maximum number of parts before a source is merged. */
const maxParts = 4;

/** A part is merged with smaller ones if it has at most this many times their total number of records. */
const growth = 2;

/** The maximum number of parts before they are merged at a start, too: otherwise, only a running server merges. */
const maxPartsAtStart = 16;

/** Whether some source has enough parts to slow down every query. */
export function hasManyParts({ parts, schemas }: Manifest): boolean {
  return schemas.some(
    ({ name }) => parts.filter(({ source }) => source === name).length > maxPartsAtStart,
  );
}

/** The result of merging some parts. */
export interface Merge {
  readonly replaced: readonly StoredPart[];
  readonly merged: StoredPart;
}

/**
 * Merges the small parts of each source that has too many. A part is merged with smaller ones that are together at
 * least half its size, so each record is rewritten only a few times.
 * @throws SetupError if the database cannot be written
 */
export async function mergeSmallParts(
  { parts, schemas }: Manifest,
  { declared, cache, load }: Pick<RefreshOptions, 'declared' | 'cache' | 'load'>,
): Promise<readonly Merge[]> {
  const groups = declared.flatMap((source) => {
    const replaced = partsToMerge(parts.filter((part) => part.source === source.name));
    if (replaced.length === 0) return [];
    const base = schemas.find(({ name }) => name === source.name) ?? source;
    const job = {
      source,
      base,
      typed: base.columns,
      contents: contentsOfParts(source, parts),
      files: [],
      parts: manifests.storedTables(replaced, schemas, cache.folder),
    };
    return [{ job, replaced }];
  });
  if (groups.length === 0) return [];
  const database = cache.newDatabase();
  const options = { sources: groups.map(({ job }) => job), database: join(cache.folder, database) };
  const loaded = await load(options).catch((error: unknown) => {
    cache.discard(database);
    throw error;
  });
  return groups.map(({ job, replaced }, index) => {
    const one = loaded[index];
    if (one === undefined) throw new Error(`${job.source.name} was not merged`);
    const { schema, project } = one;
    const { name, columns } = schema;
    const slices = manifests.joinSlices(replaced.flatMap((part) => part.slices));
    const records = manifests.countRecords(replaced);
    const contents = joinContents(replaced);
    const merged = { source: name, database, slices, records, contents, project, columns };
    return { replaced, merged };
  });
}

/**
 * Replaces merged parts in a manifest. Ignores a merge if one of its parts has been dropped meanwhile, or if the
 * source's columns have changed so that it cannot be read. Returns the same manifest if there is nothing to replace.
 */
export function withMerged(manifest: Manifest, merges: readonly Merge[]): Manifest {
  let parts = manifest.parts;
  for (const { replaced, merged } of merges) {
    const isReplaced = (part: StoredPart) =>
      replaced.some(({ source, database }) => part.source === source && part.database === database);
    const left = parts.filter(isReplaced);
    const schema = manifest.schemas.find(({ name }) => name === merged.source);
    const isOther = schema && !canReadAs(manifests.storedColumns(merged, [schema]), schema.columns);
    if (left.length < replaced.length || isOther) continue;
    const slices = manifests.joinSlices(left.flatMap((part) => part.slices));
    const whole = manifests.underSchema({ ...merged, slices }, [], schema);
    parts = [...parts.filter((part) => !isReplaced(part)), whole];
  }
  return parts === manifest.parts ? manifest : { ...manifest, parts };
}

/** Returns the smallest parts if there are too many; leaves out parts that will be rebuilt anyway. */
export function partsToMerge(parts: readonly StoredPart[]): readonly StoredPart[] {
  if (parts.length <= maxParts) return [];
  const bySize = parts
    .filter((part) => !isTiny(part))
    .toSorted((one, other) => one.records - other.records);
  const minCount = parts.length - maxParts + 1;
  const chosen: StoredPart[] = [];
  let sum = 0;
  for (const part of bySize) {
    if (chosen.length >= minCount && part.records > growth * sum) break;
    chosen.push(part);
    sum += part.records;
  }
  return chosen.length > 1 ? chosen : [];
}
