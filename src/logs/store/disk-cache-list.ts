import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { aboutName, readAbout } from './disk-cache-entry.js';
import { isOwnName, namesIn } from './disk-cache-names.js';
import { removeEntry } from './disk-cache-remove.js';
import { isLeased } from './lease.js';

/** What is kept of one data folder by one version of the program. */
export interface CacheEntry {
  readonly folder: string;
  readonly dataFolder: string;
  /** Of its files, in bytes. */
  readonly bytes: number;
  /** When something was last written to it, in milliseconds since 1970. */
  readonly changedMs: number;
  /** Whether some process uses it. */
  readonly isUsed: boolean;
}

/** An entry that was removed. */
export interface RemovedEntry extends CacheEntry {
  /** The names in its folder that are not ours; they stay, and the folder with them. */
  readonly left: readonly string[];
}

/** Everything that is kept below a cache folder, by data folder; nothing where there is no such folder. */
export function listCaches(cacheDir: string): readonly CacheEntry[] {
  return foldersIn(cacheDir)
    .flatMap(entryOf)
    .toSorted((one, other) => (one.dataFolder < other.dataFolder ? -1 : 1));
}

/** Removes what nobody uses, and tells what that was. @throws an error of the file system */
export function clearCaches(cacheDir: string): readonly RemovedEntry[] {
  return listCaches(cacheDir).flatMap(remove);
}

/** After which time an entry that nobody wrote to is old, in milliseconds. */
const oldMs = 30 * 24 * 3_600_000;

/**
 * Removes what other versions of the program kept of the same data folder, and what has long been there;
 * tells what that was.
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

function foldersIn(cacheDir: string): readonly string[] {
  try {
    return namesIn(cacheDir).map((name) => join(cacheDir, name));
  } catch {
    return [];
  }
}

/** Nothing for a folder that is not ours, and for one that goes meanwhile. */
function entryOf(folder: string): readonly CacheEntry[] {
  try {
    const about = readAbout(folder);
    if (about === undefined) return [];
    const isUsed = isLeased(folder);
    const stats = namesIn(folder)
      .filter((name) => name === aboutName || isOwnName(name))
      .map((name) => lstatSync(join(folder, name), { throwIfNoEntry: false }))
      .filter((stat) => stat !== undefined);
    const changedMs = Math.max(...stats.map(({ mtimeMs }) => mtimeMs));
    const bytes = stats.reduce((sum, { size }) => sum + size, 0);
    return stats.length === 0 ? [] : [{ folder, ...about, bytes, changedMs, isUsed }];
  } catch {
    return [];
  }
}
