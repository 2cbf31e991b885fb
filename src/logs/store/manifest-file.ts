import { createHash } from 'node:crypto';
import { readFileSync, renameSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { type DatabaseDigest, digestDatabase } from './database-digest.js';
import type { Manifest } from './manifest.js';

/** A manifest as it lies on disk, with what its database files should be. */
interface Stored {
  readonly manifest: Manifest;
  readonly databases: Readonly<Record<string, DatabaseDigest>>;
}

/** What lies in a cache folder. */
export interface Kept {
  /** Whether there is anything. */
  readonly isThere: boolean;
  /** Undefined where there is none, or one that is cut off or of other making. */
  readonly found?: Stored;
}

/** The manifest of a cache folder. */
export interface KeptManifest {
  read(): Kept;
  /** Whether it is still the one that this process read or wrote last. */
  isCurrent(): boolean;
  /** Of the last that this process read or wrote. */
  databases(): Stored['databases'];
  /** The files of the one that lies there now, whoever wrote it. */
  names(): readonly string[];
  /** @throws an error of the file system */
  write(manifest: Manifest): Promise<void>;
}

/** Names for files while they are written, which nobody else removes. */
interface NewNames {
  add(suffix: string): string;
  drop(name: string): void;
}

/** The manifest of a folder, of which nothing is read yet. */
export function openKept(folder: string, newNames: NewNames): KeptManifest {
  const path = join(folder, 'manifest.json');
  let last: Stored | undefined;
  let lastIs = '';
  const isCurrent = () => identityOf(path) === lastIs;
  const read = () => {
    const is = identityOf(path);
    const kept = readKept(path);
    [last, lastIs] = [kept.found, is];
    return kept;
  };
  return {
    read,
    isCurrent,
    databases: () => last?.databases ?? {},
    names() {
      const stored = isCurrent() ? last : readKept(path).found;
      return Object.keys(stored?.databases ?? {});
    },
    async write(manifest) {
      if (manifest === last?.manifest && isCurrent()) return;
      const stored = { manifest, databases: await digestAll(folder, manifest, last) };
      const building = newNames.add('json');
      let is = '';
      try {
        await writeSynced(join(folder, building), printKept(stored));
        // Another process may put its own there right after.
        is = identityOf(join(folder, building));
        renameSync(join(folder, building), path);
      } finally {
        newNames.drop(building);
      }
      await sync(folder);
      [last, lastIs] = [stored, is];
    },
  };
}

/** Another one for every file that was put there. */
function identityOf(path: string): string {
  const stat = statSync(path, { throwIfNoEntry: false });
  return stat === undefined ? '' : `${stat.ino} ${stat.mtimeMs} ${stat.size}`;
}

function readKept(path: string): Kept {
  let text: string;
  try {
    text = readFileSync(path, 'utf8');
  } catch {
    return { isThere: false };
  }
  try {
    const { digest, body } = JSON.parse(text) as { readonly digest: string; readonly body: string };
    if (digest !== digestOf(body)) return { isThere: true };
    return { isThere: true, found: JSON.parse(body) as Stored };
  } catch {
    return { isThere: true };
  }
}

function printKept(stored: Stored): string {
  const body = JSON.stringify(stored);
  return JSON.stringify({ digest: digestOf(body), body });
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

async function digestAll(
  folder: string,
  { parts }: Manifest,
  before: Stored | undefined,
): Promise<Stored['databases']> {
  const databases: Record<string, DatabaseDigest> = {};
  for (const name of new Set(parts.map(({ database }) => database))) {
    databases[name] = before?.databases[name] ?? (await secure(join(folder, name)));
  }
  return databases;
}

/** A file that is on the disk and not only on its way to it, and its digest. */
async function secure(path: string): Promise<DatabaseDigest> {
  await sync(path);
  return digestDatabase(path);
}

async function sync(path: string): Promise<void> {
  const handle = await open(path, 'r');
  await handle.sync().finally(() => handle.close());
}

async function writeSynced(path: string, text: string): Promise<void> {
  const handle = await open(path, 'w', 0o600);
  try {
    await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
