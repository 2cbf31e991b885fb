import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { packagePath, programFolder } from '../common/package-paths.js';
import type { Settings } from '../config/settings.js';
import { type RemovedEntry, removeOldCaches } from '../logs/store/manage-entries.js';
import { type DiskCache, openDiskCache, usualUse } from '../logs/store/store.js';
import type { SourceSchema } from '../types/schema.js';
import { checkTemporaryFolder, makeTemporaryFolder } from './temporary-folder.js';

/** Where the database files of a run are, and why not where they should be. */
export interface LogCache {
  readonly cache: DiskCache;
  readonly warnings: readonly string[];
}

/**
 * The disk cache of a data folder, or, where there is to be none or it cannot be written, a folder of
 * this process that goes when it does.
 */
export function openLogCache(
  { cacheDir, noDiskCache }: Settings,
  data: string,
  declared: readonly SourceSchema[],
  verifiedBytes = usualUse.verifiedBytes,
): LogCache {
  checkTemporaryFolder();
  if (noDiskCache || cacheDir === undefined) return { cache: openTemporary(), warnings: [] };
  try {
    // DuckDB takes the rest for the options of an address, and looks for its files elsewhere.
    if (cacheDir.includes('?')) throw new Error('a question mark in its path');
    const dataFolder = realpathSync(data);
    const cache = openDiskCache(
      cacheDir,
      { dataFolder, storedBy: [programDigest(), declared] },
      { ...usualUse, verifiedBytes },
    );
    return { cache, warnings: removeOld(cacheDir, { dataFolder, except: cache.folder }) };
  } catch (error) {
    const warning = `the disk cache in ${cacheDir} cannot be used (${codeOf(error)}); the next start loads everything anew`;
    return { cache: openTemporary(), warnings: [warning] };
  }
}

function removeOld(...[cacheDir, which]: Parameters<typeof removeOldCaches>): readonly string[] {
  try {
    return removeOldCaches(cacheDir, which).flatMap(tellWhatStays);
  } catch (error) {
    return [`old files in the disk cache ${cacheDir} cannot be removed (${codeOf(error)})`];
  }
}

/** A line for a folder that stays because of what is in it, or none where it is gone. */
export function tellWhatStays({ folder, left }: RemovedEntry): readonly string[] {
  if (left.length === 0) return [];
  // As JSON: a name may have a line break in it.
  const names = left.slice(0, 3).map((name) => JSON.stringify(name));
  const more = left.length > 3 ? ` and ${left.length - 3} more` : '';
  return [
    `${folder} stays: it holds ${names.join(', ')}${more}, which log-endpoints did not write`,
  ];
}

/** What the file system calls an error. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return 'code' in error ? String(error.code) : error.message;
}

function openTemporary(): DiskCache {
  return openDiskCache(
    makeTemporaryFolder(),
    { dataFolder: '', storedBy: [] },
    { ...usualUse, lasts: false },
  );
}

/** Another one for every version of the loader: what it stored before, it might now store otherwise. */
function programDigest(): string {
  const hash = createHash('sha256');
  for (const room of ['common', 'logs', 'types']) {
    const folder = join(programFolder, room);
    const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
    for (const name of names.filter((each) => /\.[jt]s$/.test(each)).sort()) {
      hash.update(readFileSync(join(folder, name)));
    }
  }
  // It names the version of the engine, which writes the files.
  hash.update(readFileSync(packagePath('package.json')));
  return hash.digest('hex');
}
