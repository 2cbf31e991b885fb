import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { digestValue } from '../../process/digest.js';
import { ignoreErrors } from '../../process/ignore-errors.js';
import { type DatabaseDigest, hasSize, isSound } from './database-digest.js';
import { entryNameLength, makeEntry } from './entry.js';
import { holdLease, sweepEntry } from './lease.js';
import type { Manifest } from './manifest.js';
import type { ManifestFile, ReadManifest } from './manifest-file.js';
import { databaseNames, openManifestFile } from './manifest-file.js';
import { createOpenFiles } from './open-files.js';

/** The database files of one data folder. */
export interface DatabaseFolder {
  readonly folder: string;
  /** Returns a name for a new database file, which no other process removes. */
  newDatabase(): string;
  /** Removes a new database file that is not needed after all. */
  discard(name: string): void;
  /** Restores files that were removed while this process used them; true if there were any. */
  restore?(): Promise<boolean>;
  /** Protects database files from removal until the returned function is called. */
  hold(names: readonly string[]): () => void;
}

/** The database files and the manifest of one data folder, kept between runs. */
export interface DiskCache extends DatabaseFolder {
  /** Reads the saved manifest; `isDamaged` if it or a database file has changed since. */
  read(): Promise<{ readonly manifest?: Manifest; readonly isDamaged: boolean }>;
  /** Checks every byte of the large files, of which {@link read} checks only the size. */
  verify(): Promise<boolean>;
  /**
   * Syncs the files of a manifest to disk, then replaces the saved manifest.
   * @throws an error of the file system
   */
  save(manifest: Manifest): Promise<void>;
}

/** Identifies an entry. */
export interface DiskCacheKey {
  /** The real path, without symbolic links. */
  readonly dataFolder: string;
  /** Everything that determines how files are stored: the program's version, the declared sources. */
  readonly storedBy: readonly unknown[];
}

/** The settings of an entry. */
export interface DiskCacheUse {
  /** Whether to keep it for later processes. */
  readonly isPersistent: boolean;
  /**
   * The maximum size of a database file, in bytes, for which every byte is checked before use; for larger files, only
   * the size is.
   */
  readonly verifiedBytes: number;
}

/** The default use. Checking 256 MiB takes less than a second. */
export const defaultUse: DiskCacheUse = { isPersistent: true, verifiedBytes: 256 * 1024 ** 2 };

/**
 * Opens the entry of a data folder below `cacheDir`. Creates both with mode 0700 if they do not exist.
 * @throws an error of the file system, or an error if the existing entry is not ours
 */
export function openDiskCache(
  cacheDir: string,
  { dataFolder, storedBy }: DiskCacheKey,
  { isPersistent, verifiedBytes }: DiskCacheUse = defaultUse,
): DiskCache {
  const entry = digestValue([dataFolder, ...storedBy]).slice(0, entryNameLength);
  const folder = join(cacheDir, entry);
  makeEntry(folder, { dataFolder });
  const names = createNames(folder);
  const manifestFile = openManifestFile(folder, names);
  const sweep = () => sweepEntry(folder, () => [...names.used(), ...manifestFile.names()]);
  return {
    folder,
    async read() {
      const found = claim(manifestFile, names);
      if (found === undefined) return { isDamaged: false };
      const isSmall = (size: number) => size <= verifiedBytes;
      if (found !== 'damaged' && (await areSound(folder, found.databases, isSmall)))
        return { isDamaged: false, manifest: found.manifest };
      names.use([]);
      return { isDamaged: true };
    },
    async verify() {
      // Reading has already checked the other files completely.
      return areSound(folder, manifestFile.databases(), (size) => size > verifiedBytes);
    },
    newDatabase() {
      // The folder may have been removed since it was opened.
      makeEntry(folder, { dataFolder });
      return names.add('duckdb');
    },
    discard(name) {
      if (name !== '') rmSync(join(folder, name), { force: true });
      names.drop(name);
    },
    async restore() {
      if (!names.areMissing()) return false;
      makeEntry(folder, { dataFolder });
      await names.restore();
      if (isPersistent) await manifestFile.restore();
      return true;
    },
    hold(held) {
      const release = names.hold(held);
      // If the folder was removed, that was intended; open files stay readable.
      return () => ignoreErrors(() => [release(), sweep()]);
    },
    async save(manifest) {
      names.use(manifest.parts.map(({ database }) => database));
      if (isPersistent) await manifestFile.write(manifest);
      sweep();
    },
  };
}

/** The names of the files that this process uses, published in its lease. */
function createNames(folder: string) {
  const building = new Set<string>();
  const held = new Set<readonly string[]>();
  let current: readonly string[] = [];
  const finished = () => [...current, ...[...held].flat()];
  const used = () => [...new Set([...finished(), ...building])];
  const writeLease = holdLease(folder, used);
  const files = createOpenFiles(folder);
  return {
    used,
    areMissing: files.areMissing,
    restore(): Promise<void> {
      writeLease();
      return files.restore();
    },
    /** Sets the files of the current state. */
    use(names: readonly string[]): void {
      current = [...new Set(names)];
      for (const name of current) building.delete(name);
      files.keep(finished());
      writeLease();
    },
    add(suffix: string): string {
      const name = `${randomBytes(8).toString('hex')}.${suffix}`;
      building.add(name);
      try {
        writeLease();
      } catch (error) {
        building.delete(name);
        throw error;
      }
      return name;
    },
    drop(name: string): void {
      if (building.delete(name)) ignoreErrors(writeLease);
    },
    hold(names: readonly string[]): () => void {
      held.add(names);
      return () => {
        held.delete(names);
        files.keep(finished());
        writeLease();
      };
    },
  };
}

/**
 * Reads the manifest and leases its files. Repeats if the manifest was replaced in between; after that, a process
 * that replaces it sees the lease before it removes old files.
 */
function claim(manifest: ManifestFile, names: ReturnType<typeof createNames>): ReadManifest {
  const found = manifest.read();
  names.use(databaseNames(found));
  return manifest.isCurrent() ? found : claim(manifest, names);
}

/** Whether databases are sound: checks all bytes of files selected by `isRead`, and only the size of the others. */
async function areSound(
  folder: string,
  databases: Readonly<Record<string, DatabaseDigest>>,
  isRead: (size: number) => boolean,
): Promise<boolean> {
  const checks = Object.entries(databases).map(([name, digest]) => {
    const path = join(folder, name);
    return isRead(digest.size) ? isSound(path, digest) : hasSize(path, digest.size);
  });
  return (await Promise.all(checks)).every(Boolean);
}
