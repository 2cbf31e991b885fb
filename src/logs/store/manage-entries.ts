import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreErrors } from '../../process/ignore-errors.js';
import { isOwnFile } from '../../process/own-path.js';
import * as entries from './entry.js';
import { keptShapesName } from './kept-shapes.js';
import { isLeased } from './lease.js';

/** The files stored by one version of the program for one data folder. */
export interface CacheEntry {
  readonly folder: string;
  readonly dataFolder: string;
  /** The size of our files in it, in bytes. */
  readonly bytes: number;
  /** The time at which it was last written to, in milliseconds since 1970. */
  readonly changedMs: number;
  /** Whether some process uses it. */
  readonly isUsed: boolean;
}

/** An entry that was removed. */
export interface RemovedEntry extends CacheEntry {
  /** The names in its folder that are not ours; they stay, and so does the folder. */
  readonly left: readonly string[];
}

/** All entries of a cache folder, by data folder; none if the cache folder does not exist. */
export function listCaches(cacheDir: string): readonly CacheEntry[] {
  const names = ignoreErrors(() => entries.namesIn(cacheDir)) ?? [];
  return names
    .flatMap((name) => ignoreErrors(() => readEntry(join(cacheDir, name))) ?? [])
    .toSorted((one, other) => (one.dataFolder < other.dataFolder ? -1 : 1));
}

/** Removes all unused entries, which it returns, and the kept shapes. @throws an error of the file system */
export function clearCaches(cacheDir: string): readonly RemovedEntry[] {
  const shapes = join(cacheDir, keptShapesName);
  if (isOwnFile(shapes)) entries.removeFile(shapes);
  return listCaches(cacheDir).flatMap(remove);
}

/** The age at which an unchanged entry is old, in milliseconds. */
const oldMs = 30 * 24 * 3_600_000;

/**
 * Removes the unused entries that other versions of the program made for the same data folder, and
 * entries that have not been written to for a long time. Returns the removed entries.
 * @throws an error of the file system
 */
export function removeOldCaches(
  cacheDir: string,
  { dataFolder, except }: { readonly dataFolder: string; readonly except: string },
): readonly RemovedEntry[] {
  const isOld = (entry: CacheEntry) =>
    entry.dataFolder === dataFolder || Date.now() - entry.changedMs > oldMs;
  return listCaches(cacheDir)
    .filter((entry) => isOld(entry) && entry.folder !== except)
    .flatMap(remove);
}

function remove(entry: CacheEntry): readonly RemovedEntry[] {
  const left = entry.isUsed ? undefined : removeEntry(entry.folder);
  return left === undefined ? [] : [{ ...entry, left }];
}

/**
 * Removes our files in an entry, then its marker, then the folder if it is empty. Returns the names that stay because
 * they are not ours; undefined if the folder is not our entry or is in use.
 * @throws an error of the file system, unless something does not exist
 */
export function removeEntry(folder: string): readonly string[] | undefined {
  // List the names first: a process that opens the entry later has files that are not on this list.
  const names = entries.namesIn(folder);
  if (entries.readAbout(folder) === undefined || isLeased(folder)) return undefined;
  for (const name of names) entries.removeOwnName(folder, name);
  const left = entries.namesIn(folder).filter((name) => name !== entries.aboutName);
  // A process that has opened the entry in the meantime needs the marker.
  if (isLeased(folder)) return undefined;
  entries.removeFile(join(folder, entries.aboutName));
  entries.removeIfEmpty(folder);
  return left;
}

/** Returns undefined for a folder that is not ours. @throws an error of the file system if it disappears meanwhile */
function readEntry(folder: string): CacheEntry | undefined {
  const about = entries.readAbout(folder);
  if (about === undefined) return undefined;
  const isUsed = isLeased(folder);
  const stats = entries
    .namesIn(folder)
    .filter((name) => name === entries.aboutName || entries.isOwnName(name))
    .map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }))
    .filter((stat) => stat !== undefined);
  const changedMs = Math.max(...stats.map(({ mtimeMs }) => mtimeMs));
  const bytes = stats.reduce((sum, { size }) => sum + size, 0);
  return stats.length === 0 ? undefined : { folder, ...about, bytes, changedMs, isUsed };
}
