import { readFileSync, renameSync, statSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestText } from '../../process/digest.js';
import { ignoreErrors } from '../../process/ignore-errors.js';
import { type DatabaseDigest, digestDatabase } from './database-digest.js';
import type { Manifest } from './manifest.js';

/** A manifest as stored on disk, with the digests of its database files. */
interface Stored {
  readonly manifest: Manifest;
  readonly databases: Readonly<Record<string, DatabaseDigest>>;
}

/** The result of reading the manifest of an entry; undefined if there is none. */
export type ReadManifest = Stored | 'damaged' | undefined;

/** The manifest file of an entry. */
export type ManifestFile = ReturnType<typeof openManifestFile>;

/** Allocates names for new files, which no other process removes. */
interface NewNames {
  add(suffix: string): string;
  drop(name: string): void;
}

/** Opens the manifest file of an entry without reading it. */
export function openManifestFile(folder: string, newNames: NewNames) {
  const path = join(folder, 'manifest.json');
  let last: Stored | undefined;
  let lastIdentity = '';
  /** Whether the file is still the one that this process last read or wrote. */
  const isCurrent = () => fileVersion(path) === lastIdentity;
  const read = () => {
    const identity = fileVersion(path);
    const found = readManifest(path);
    [last, lastIdentity] = [found === 'damaged' ? undefined : found, identity];
    return found;
  };
  /** @throws an error of the file system */
  const write = async (manifest: Manifest) => {
    if (manifest === last?.manifest && isCurrent()) return;
    const stored = { manifest, databases: await digestAll(folder, manifest, last) };
    const body = JSON.stringify(stored);
    const text = JSON.stringify({ digest: digestText(body), body });
    const building = newNames.add('json');
    let identity = '';
    try {
      await writeFile(join(folder, building), text, { mode: 0o600, flush: true });
      // Before the rename: another process may replace the file right after it.
      identity = fileVersion(join(folder, building));
      renameSync(join(folder, building), path);
    } finally {
      newNames.drop(building);
    }
    await sync(folder);
    [last, lastIdentity] = [stored, identity];
  };
  return {
    read,
    isCurrent,
    /** The databases of the manifest that this process last read or wrote. */
    databases: () => last?.databases ?? {},
    /** The database names of the manifest on disk, whichever process wrote it. */
    names(): readonly string[] {
      return databaseNames(isCurrent() ? last : readManifest(path));
    },
    /** Writes the last manifest again if the file is gone. @throws an error of the file system */
    restore: async () => last && write(last.manifest),
    write,
  };
}

/** The names of the databases of a manifest; none if there is no manifest. */
export function databaseNames(found: ReadManifest): readonly string[] {
  return found === undefined || found === 'damaged' ? [] : Object.keys(found.databases);
}

/** Identifies a version of the file. */
function fileVersion(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

function readManifest(path: string): ReadManifest {
  const text = ignoreErrors(() => readFileSync(path, 'utf8'));
  if (text === undefined) return undefined;
  try {
    const { digest, body } = JSON.parse(text) as { readonly digest: string; readonly body: string };
    return digest === digestText(body) ? (JSON.parse(body) as Stored) : 'damaged';
  } catch {
    return 'damaged';
  }
}

/** Returns the digests of the database files; syncs new files to disk first. */
async function digestAll(
  folder: string,
  { parts }: Manifest,
  before: Stored | undefined,
): Promise<Stored['databases']> {
  const databases: Record<string, DatabaseDigest> = {};
  for (const name of new Set(parts.map(({ database }) => database))) {
    const path = join(folder, name);
    const known = before?.databases[name];
    databases[name] = known ?? (await sync(path).then(() => digestDatabase(path)));
  }
  return databases;
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}
