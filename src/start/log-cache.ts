import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import type { Settings } from '../config/settings.js';
import { newIdKey } from '../logs/columns/made-id.js';
import { readIdKey } from '../logs/store/id-key.js';
import { type RemovedEntry, removeOldCaches } from '../logs/store/manage-entries.js';
import { type DiskCache, defaultUse, openDiskCache } from '../logs/store/store.js';
import { digestText } from '../process/digest.js';
import { builtPath, packagePath } from '../process/package-paths.js';
import type { SourceSchema } from '../types/schema.js';
import { checkTemporaryFolder, makeTemporaryFolder } from './temporary-folder.js';

/** The cache for the database files of a run, and warnings about it. */
export interface LogCache {
  readonly cache: DiskCache;
  /** The key for the ids of records without one, in hex. */
  readonly idKey: string;
  readonly warnings: readonly string[];
}

/**
 * Opens the disk cache of a data folder. If it is switched off or cannot be used, opens a temporary folder instead,
 * which is removed when the process exits. The key for generated ids comes from the settings or the cache folder;
 * with a temporary folder, each process generates its own.
 */
export function openLogCache(
  { cacheDir, noDiskCache, newestRows, maxFields, idKey: known }: Settings,
  places: readonly string[],
  declared: readonly SourceSchema[],
  verifiedBytes = defaultUse.verifiedBytes,
): LogCache {
  checkTemporaryFolder();
  if (noDiskCache || cacheDir === undefined) return openTemporary(known);
  // Outside the `try`: if our own files cannot be read, the package is broken.
  const program = programDigest();
  let idKey = known;
  try {
    // DuckDB parses everything after a question mark in a path as options.
    if (cacheDir.includes('?')) throw new Error('a question mark in its path');
    const dataFolder = places.map((place) => realpathSync(place)).join(', ');
    idKey ??= readIdKey(cacheDir);
    const storedBy = [program, declared, newestRows, maxFields, digestText(idKey)];
    const cache = openDiskCache(
      cacheDir,
      { dataFolder, storedBy },
      { ...defaultUse, verifiedBytes },
    );
    const warnings = removeOld(cacheDir, { dataFolder, except: cache.folder });
    const kept = known === undefined ? withKey(cache, { cacheDir, idKey }) : cache;
    return { cache: kept, idKey, warnings };
  } catch (error) {
    const warning = `the disk cache in ${cacheDir} cannot be used (${errorCode(error)}); the next start will reload everything`;
    return { ...openTemporary(idKey), warnings: [warning] };
  }
}

/** Returns a cache that also restores the key if somebody removes it. */
function withKey(
  cache: DiskCache,
  { cacheDir, idKey }: { readonly cacheDir: string; readonly idKey: string },
): DiskCache {
  return {
    ...cache,
    async restore() {
      const isRestored = await cache.restore?.();
      readIdKey(cacheDir, () => idKey);
      return isRestored ?? false;
    },
  };
}

function removeOld(...[cacheDir, which]: Parameters<typeof removeOldCaches>): readonly string[] {
  try {
    return removeOldCaches(cacheDir, which).flatMap(describeLeft);
  } catch (error) {
    return [`old files in the disk cache ${cacheDir} cannot be removed (${errorCode(error)})`];
  }
}

/**
 * Returns a line for an entry whose folder stays because it contains files that are not ours; none if the folder was
 * removed.
 */
export function describeLeft({ folder, left }: RemovedEntry): readonly string[] {
  if (left.length === 0) return [];
  // Printed as JSON, because a name may contain a line break.
  const names = left.slice(0, 3).map((name) => JSON.stringify(name));
  const more = left.length > 3 ? ` and ${left.length - 3} more` : '';
  return [
    `${folder} stays because it contains ${names.join(', ')}${more}, which log-endpoints did not write`,
  ];
}

/** Returns the code of a file system error; the message of any other error. */
export function errorCode(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}

function openTemporary(idKey = newIdKey()): LogCache {
  const cache = openDiskCache(
    makeTemporaryFolder(),
    { dataFolder: '', storedBy: [] },
    { ...defaultUse, isPersistent: false },
  );
  return { cache, idKey, warnings: [] };
}

/**
 * Computes a digest of the built program and the DuckDB version: another version might store the same files
 * differently.
 * @throws an error of the file system; Error if the program is not built
 */
export function programDigest(folder = builtPath('.')): string {
  const files = readdirSync(folder).filter((name) => name.endsWith('.js'));
  if (files.length === 0) throw new Error(`${folder} has no program: npm run build`);
  const hash = createHash('sha256');
  for (const name of files.sort()) hash.update(name).update(readFileSync(join(folder, name)));
  // package.json names the version of DuckDB, which writes the files.
  return hash.update(readFileSync(packagePath('package.json'))).digest('hex');
}
