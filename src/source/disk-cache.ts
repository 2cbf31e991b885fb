import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type DatabaseDigest, digestDatabase, isSound, looksSound } from './database-digest.js';
import { holdLease, sweepFolder } from './disk-cache-lease.js';
import type { Manifest } from './manifest.js';

/** The database files of one data folder, kept between runs of the program. */
export interface DiskCache {
  /** The folder of the database files; this process's own files in it stay until it is closed. */
  readonly folder: string;
  /** What was kept last, where its files are sound; undefined where there is nothing, or damage. */
  read(): Promise<Manifest | undefined>;
  /** Whether every byte of the files is what it was written as; {@link read} looks at large ones in places only. */
  verify(): Promise<boolean>;
  /** A name for a new database file, which nobody else removes. */
  newDatabase(): string;
  /** Keeps a manifest in place of the one before, once its files are safe on disk. @throws an error of the file system */
  keep(manifest: Manifest): Promise<void>;
  close(): void;
}

/** What a kept manifest belongs to. */
export interface DiskCacheKey {
  readonly dataFolder: string;
  /** All that decides how the same files are stored: the program's version, the declared sources. */
  readonly storedBy: readonly unknown[];
}

/** Larger ones are looked at in places before they are used, in bytes. */
const verifiedBytes = 256 * 1024 ** 2;

const manifestName = 'manifest.json';

/**
 * Opens the cache of a data folder below `cacheDir`, both made where they are missing, with mode 0700.
 * @throws an error of the file system
 */
export function openDiskCache(cacheDir: string, key: DiskCacheKey): DiskCache {
  const dataFolder = realpathSync(key.dataFolder);
  const folder = join(cacheDir, digestOf([dataFolder, ...key.storedBy]).slice(0, 32));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, 'about.json'), `${JSON.stringify({ dataFolder })}\n`);
  const lease = holdLease(folder);
  let kept = readKept(folder);
  return {
    folder,
    async read() {
      lease.hold(Object.keys(kept?.databases ?? {}));
      if (kept !== undefined && !(await areSound(folder, kept))) kept = undefined;
      return kept?.manifest;
    },
    async verify() {
      const all = Object.entries(kept?.databases ?? {});
      const sound = await Promise.all(
        all.map(([name, digest]) => isSound(join(folder, name), digest)),
      );
      return sound.every(Boolean);
    },
    newDatabase() {
      const name = `${randomBytes(8).toString('hex')}.duckdb`;
      lease.hold([...Object.keys(kept?.databases ?? {}), name]);
      return name;
    },
    async keep(manifest) {
      kept = await writeKept(folder, manifest, kept);
      lease.hold(Object.keys(kept.databases));
      sweepFolder(folder, new Set(Object.keys(kept.databases)));
    },
    close: lease.release,
  };
}

/** A manifest as it lies on disk, with what its database files should be. */
interface Kept {
  readonly manifest: Manifest;
  readonly databases: Readonly<Record<string, DatabaseDigest>>;
}

/** Undefined where there is none, or one that is cut off or of other making. */
function readKept(folder: string): Kept | undefined {
  try {
    const text = readFileSync(join(folder, manifestName), 'utf8');
    const { digest, body } = JSON.parse(text) as { readonly digest: string; readonly body: string };
    return digest === digestOf(body) ? (JSON.parse(body) as Kept) : undefined;
  } catch {
    return undefined;
  }
}

async function areSound(folder: string, { databases }: Kept): Promise<boolean> {
  const checks = Object.entries(databases).map(([name, digest]) =>
    (digest.size > verifiedBytes ? looksSound : isSound)(join(folder, name), digest),
  );
  return (await Promise.all(checks)).every(Boolean);
}

async function writeKept(
  folder: string,
  manifest: Manifest,
  before: Kept | undefined,
): Promise<Kept> {
  const names = [...new Set(manifest.parts.map(({ database }) => database))];
  const databases: Record<string, DatabaseDigest> = {};
  for (const name of names) {
    databases[name] = before?.databases[name] ?? (await secure(join(folder, name)));
  }
  const body = JSON.stringify({ manifest, databases } satisfies Kept);
  const building = join(folder, `${randomBytes(8).toString('hex')}.json`);
  writeFileSync(building, JSON.stringify({ digest: digestOf(body), body }), { mode: 0o600 });
  sync(building);
  renameSync(building, join(folder, manifestName));
  sync(folder);
  return { manifest, databases };
}

/** A file that is on the disk and not only on its way to it, and its digest. */
function secure(path: string): Promise<DatabaseDigest> {
  sync(path);
  return digestDatabase(path);
}

function sync(path: string): void {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
