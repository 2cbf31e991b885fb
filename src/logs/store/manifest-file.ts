import { readFileSync, renameSync, statSync } from 'node:fs';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { digestText } from '../../process/digest.js';
import { type DatabaseDigest, digestDatabase } from './database-digest.js';
import type { Manifest } from './manifest.js';

/** A manifest as stored on disk, with the digests of its database files. */
interface Stored {
  readonly manifest: Manifest;
  readonly databases: Readonly<Record<string, DatabaseDigest>>;
}

/** The result of reading the manifest of an entry. */
export interface ReadManifest {
  /** Whether the file exists. */
  readonly exists: boolean;
  /** Absent if the file does not exist, is damaged or has another format. */
  readonly found?: Stored;
}

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
  const isCurrent = () => identityOf(path) === lastIdentity;
  const read = () => {
    const identity = identityOf(path);
    const result = readManifest(path);
    [last, lastIdentity] = [result.found, identity];
    return result;
  };
  /** @throws an error of the file system */
  const write = async (manifest: Manifest) => {
    if (manifest === last?.manifest && isCurrent()) return;
    const stored = { manifest, databases: await digestAll(folder, manifest, last) };
    const building = newNames.add('json');
    let identity = '';
    try {
      await writeFile(join(folder, building), printManifest(stored), { mode: 0o600, flush: true });
      // Before the rename: another process may replace the file right after it.
      identity = identityOf(join(folder, building));
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
      const stored = isCurrent() ? last : readManifest(path).found;
      return Object.keys(stored?.databases ?? {});
    },
    /** Writes the last manifest again if the file is gone. @throws an error of the file system */
    restore: async () => last && write(last.manifest),
    write,
  };
}

/** Identifies a version of the file. */
function identityOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

function readManifest(path: string): ReadManifest {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return { exists: false };
  }
  try {
    const { digest, body } = JSON.parse(text) as { readonly digest: string; readonly body: string };
    if (digest !== digestText(body)) return { exists: true };
    return { exists: true, found: JSON.parse(body) as Stored };
  } catch {
    return { exists: true };
  }
}

function printManifest(stored: Stored): string {
  const body = JSON.stringify(stored);
  return JSON.stringify({ digest: digestText(body), body });
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
