import { createHash, randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { isSound, looksSound } from './database-digest.js';
import { entryNameLength, makeEntry } from './entry.js';
import { holdLease, sweepFolder } from './lease.js';
import type { Manifest } from './manifest.js';
import { type Kept, type KeptManifest, openKept } from './manifest-file.js';

/** The database files of one data folder. */
export interface DatabaseFolder {
  readonly folder: string;
  /** A name for a new database file, which nobody else removes. */
  newDatabase(): string;
  /** Removes a new database file that is not used after all. */
  discard(name: string): void;
  /** Has database files stay, whatever is kept, until the function that it gives is called. */
  hold(names: readonly string[]): () => void;
}

/** The same, kept between runs of the program. */
export interface DiskCache extends DatabaseFolder {
  /** What was kept last; `isDamaged` where it is not what was kept. */
  read(): Promise<{ readonly manifest?: Manifest; readonly isDamaged: boolean }>;
  /** Whether every byte of the files is what it was; {@link read} looks at large ones in places only. */
  verify(): Promise<boolean>;
  /** Keeps a manifest in place of the one before, once its files are safe on disk. @throws an error of the file system */
  keep(manifest: Manifest): Promise<void>;
}

/** What a kept manifest belongs to. */
export interface DiskCacheKey {
  /** Without links on its way. */
  readonly dataFolder: string;
  /** All that decides how the same files are stored: the program's version, the declared sources. */
  readonly storedBy: readonly unknown[];
}

/** How a cache is used. */
export interface DiskCacheUse {
  /** Whether another process may read it after this one. */
  readonly lasts: boolean;
  /** Larger database files are looked at in places before they are used, in bytes. */
  readonly verifiedBytes: number;
}

/** Less than a second is enough to read so much. */
export const usualUse: DiskCacheUse = { lasts: true, verifiedBytes: 256 * 1024 ** 2 };

/**
 * Opens the cache of a data folder below `cacheDir`, both made where they are missing, with mode 0700.
 * @throws an error of the file system, and one where what is there is not ours
 */
export function openDiskCache(
  cacheDir: string,
  { dataFolder, storedBy }: DiskCacheKey,
  { lasts, verifiedBytes }: DiskCacheUse = usualUse,
): DiskCache {
  const folder = join(cacheDir, digestOf([dataFolder, ...storedBy]).slice(0, entryNameLength));
  makeEntry(folder, { dataFolder });
  const names = createNames(folder);
  const kept = openKept(folder, names);
  const sweep = () => sweepFolder(folder, () => [...names.used(), ...kept.names()]);
  return {
    folder,
    async read() {
      const { found, isThere } = claim(kept, names);
      const isDamaged =
        isThere && (found === undefined || !(await areSound(folder, found, verifiedBytes)));
      if (isDamaged) names.use([]);
      return { isDamaged, ...(found && !isDamaged && { manifest: found.manifest }) };
    },
    async verify() {
      // The others were looked at when they were read.
      const large = Object.entries(kept.databases()).filter(([, { size }]) => size > verifiedBytes);
      const sound = large.map(([name, digest]) => isSound(join(folder, name), digest));
      return (await Promise.all(sound)).every(Boolean);
    },
    newDatabase() {
      // Somebody may have removed it since it was opened.
      makeEntry(folder, { dataFolder });
      return names.add('duckdb');
    },
    discard(name) {
      if (name !== '') rmSync(join(folder, name), { force: true });
      names.drop(name);
    },
    hold(held) {
      const release = names.hold(held);
      return () => quietly(() => [release(), sweep()]);
    },
    async keep(manifest) {
      names.use(manifest.parts.map(({ database }) => database));
      if (lasts) await kept.write(manifest);
      sweep();
    },
  };
}

/** What others are told that this process uses. */
function createNames(folder: string) {
  const building = new Set<string>();
  const held = new Set<readonly string[]>();
  let current: readonly string[] = [];
  const used = () => [...current, ...building, ...[...held].flat()];
  const lease = holdLease(folder, used);
  return {
    used,
    /** These are the files of the state of now. */
    use(names: readonly string[]): void {
      current = [...new Set(names)];
      for (const name of current) building.delete(name);
      lease.write();
    },
    add(suffix: string): string {
      const name = `${randomBytes(8).toString('hex')}.${suffix}`;
      building.add(name);
      try {
        lease.write();
      } catch (error) {
        building.delete(name);
        throw error;
      }
      return name;
    },
    drop(name: string): void {
      if (building.delete(name)) quietly(() => lease.write());
    },
    hold(names: readonly string[]): () => void {
      held.add(names);
      return () => {
        held.delete(names);
        lease.write();
      };
    },
  };
}

/**
 * What is kept, once others know that it is used: whoever replaces it after that looks at the leases
 * before the old files go.
 */
function claim(manifest: KeptManifest, names: ReturnType<typeof createNames>): Kept {
  const kept = manifest.read();
  names.use(Object.keys(kept.found?.databases ?? {}));
  return manifest.isCurrent() ? kept : claim(manifest, names);
}

async function areSound(
  folder: string,
  { databases }: NonNullable<Kept['found']>,
  verifiedBytes: number,
): Promise<boolean> {
  const checks = Object.entries(databases).map(([name, digest]) =>
    (digest.size > verifiedBytes ? looksSound : isSound)(join(folder, name), digest),
  );
  return (await Promise.all(checks)).every(Boolean);
}

/** Whoever removed the folder wanted it gone: what is open stays readable. */
function quietly(work: () => unknown): void {
  try {
    work();
  } catch {}
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
