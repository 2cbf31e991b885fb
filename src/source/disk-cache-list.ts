import { readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { aboutName, isLeased } from './disk-cache-lease.js';

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

/** Everything that is kept below a cache folder, by data folder; nothing where there is no such folder. */
export function listCaches(cacheDir: string): readonly CacheEntry[] {
  return namesIn(cacheDir)
    .flatMap((name) => entryOf(join(cacheDir, name)))
    .toSorted((one, other) => (one.dataFolder < other.dataFolder ? -1 : 1));
}

/** Removes what nobody uses, and tells what that was. @throws an error of the file system */
export function clearCaches(cacheDir: string): readonly CacheEntry[] {
  const unused = listCaches(cacheDir).filter(({ isUsed }) => !isUsed);
  for (const { folder } of unused) rmSync(folder, { recursive: true, force: true });
  return unused;
}

/** After which time an entry that nobody wrote to is old, in milliseconds. */
const oldMs = 30 * 24 * 3_600_000;

/** Removes what other versions of the program kept of the same data folder, and what has long been there. */
export function removeOldCaches(
  cacheDir: string,
  { dataFolder, except }: { readonly dataFolder: string; readonly except: string },
): void {
  for (const entry of listCaches(cacheDir)) {
    const isOld = entry.dataFolder === dataFolder || Date.now() - entry.changedMs > oldMs;
    if (!isOld || entry.isUsed || entry.folder === except) continue;
    rmSync(entry.folder, { recursive: true, force: true });
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
}

/** A folder that says of itself what it is the cache of; others are not ours. */
function entryOf(folder: string): readonly CacheEntry[] {
  try {
    const about: unknown = JSON.parse(readFileSync(join(folder, aboutName), 'utf8'));
    const { dataFolder } = about as { readonly dataFolder: string };
    const isUsed = isLeased(folder);
    const stats = readdirSync(folder)
      .map((name) => statSync(join(folder, name), { throwIfNoEntry: false }))
      .filter((stat) => stat !== undefined);
    const changedMs = Math.max(...stats.map(({ mtimeMs }) => mtimeMs));
    const bytes = stats.reduce((sum, { size }) => sum + size, 0);
    return [{ folder, dataFolder, bytes, changedMs, isUsed }];
  } catch {
    return [];
  }
}
