import { createHash, randomBytes } from 'node:crypto';
import {
  closeSync,
  existsSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type DatabaseDigest, digestDatabase, isSound, looksSound } from './database-digest.js';
import { aboutName, holdLease, sweepFolder } from './disk-cache-lease.js';
import type { Manifest } from './manifest.js';

/** The database files of one data folder. */
export interface DatabaseFolder {
  readonly folder: string;
  /** A name for a new database file, which nobody else removes. */
  newDatabase(): string;
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

/** Larger ones are looked at in places before they are used, in bytes. */
const verifiedBytes = 256 * 1024 ** 2;

const manifestName = 'manifest.json';

/**
 * Opens the cache of a data folder below `cacheDir`, both made where they are missing, with mode 0700.
 * One that is not to last is read by nobody after this process.
 * @throws an error of the file system
 */
export function openDiskCache(
  cacheDir: string,
  { dataFolder, storedBy }: DiskCacheKey,
  lasts = true,
): DiskCache {
  const folder = join(cacheDir, digestOf([dataFolder, ...storedBy]).slice(0, 32));
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, aboutName), `${JSON.stringify({ dataFolder })}\n`);
  const hasKept = existsSync(join(folder, manifestName));
  let kept = readKept(folder);
  const held = new Set<readonly string[]>();
  const building = new Set<string>();
  const keptNames = () => Object.keys(kept?.databases ?? {});
  const lease = holdLease(folder, () => [...keptNames(), ...building, ...[...held].flat()]);
  return {
    folder,
    async read() {
      const isDamaged = hasKept && (kept === undefined || !(await areSound(folder, kept)));
      if (isDamaged) kept = undefined;
      return { isDamaged, ...(kept && { manifest: kept.manifest }) };
    },
    async verify() {
      const all = lasts ? Object.entries(kept?.databases ?? {}) : [];
      // The others were looked at when they were read.
      const large = all.filter(([, { size }]) => size > verifiedBytes);
      const sound = await Promise.all(
        large.map(([name, digest]) => isSound(join(folder, name), digest)),
      );
      return sound.every(Boolean);
    },
    newDatabase() {
      const name = newName('duckdb');
      building.add(name);
      lease.write();
      return name;
    },
    hold(names) {
      held.add(names);
      return () => {
        held.delete(names);
        lease.write();
        sweepFolder(folder, new Set(keptNames()));
      };
    },
    async keep(manifest) {
      kept = lasts ? await writeKept(folder, manifest, kept) : unwritten(manifest);
      for (const name of keptNames()) building.delete(name);
      lease.write();
      sweepFolder(folder, new Set(keptNames()));
    },
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

const unknown: DatabaseDigest = { size: 0, whole: 0, samples: 0 };

function unwritten(manifest: Manifest): Kept {
  const databases = manifest.parts.map(({ database }) => [database, unknown] as const);
  return { manifest, databases: Object.fromEntries(databases) };
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
  const building = join(folder, newName('json'));
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

function newName(suffix: string): string {
  return `${randomBytes(8).toString('hex')}.${suffix}`;
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}
