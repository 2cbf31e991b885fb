import { readdirSync, rmdirSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { isOwnFile, isOwnFolder } from '../../common/own-path.js';

/** The names in a folder that are ours: of files, and of folders with what these may hold. */
interface OwnNames {
  readonly files: RegExp;
  readonly folders: readonly (OwnNames & { readonly name: RegExp })[];
}

/** Copies of slices of log files, in a folder for each source. */
const copies = {
  name: /^copies$/,
  files: /^$/,
  folders: [{ name: /^\d+$/, files: /^\d+$/, folders: [] }],
};

/** Where a load puts what has no room in memory; the engine's own files begin with `duckdb_temp_`. */
const spill = {
  name: /^[0-9a-f]{16}\.duckdb\.spill$/,
  files: /^(duckdb_temp_\w.*|stage\.duckdb(\.wal)?)$/,
  folders: [copies],
};

/** All that we write to an entry, but its marker. */
const inEntry: OwnNames = {
  files: /^(manifest\.json|about\.json\.\d+|[0-9a-f]{16}\.(json|lease(\.new)?|duckdb(\.wal)?))$/,
  folders: [spill],
};

/** Whether we give this name to a file in an entry; its marker has another one. */
export function isOwnName(name: string): boolean {
  return inEntry.files.test(name);
}

/**
 * Removes a file of an entry, or the folder of a load, if name and kind are ours. Of such a folder what
 * is not ours stays, and the folder with it.
 * @throws an error of the file system; what is gone already is none
 */
export function removeOwnName(folder: string, name: string): void {
  removeOwn(folder, name, inEntry);
}

/** Removes a folder with nothing in it; leaves any other. @throws an error of the file system */
export function removeEmpty(folder: string): void {
  // POSIX allows either code for a folder that is not empty.
  ignoring(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => rmdirSync(folder));
}

/** The names in a folder; none where it is gone. @throws an error of the file system */
export function namesIn(folder: string): readonly string[] {
  return ignoring(['ENOENT'], () => readdirSync(folder)) ?? [];
}

/** Removes a file; one that is gone already is no error. @throws an error of the file system */
export function removeFile(path: string): void {
  ignoring(['ENOENT'], () => unlinkSync(path));
}

function removeOwn(folder: string, name: string, own: OwnNames): void {
  const path = join(folder, name);
  if (own.files.test(name) && isOwnFile(path)) removeFile(path);
  const inside = own.folders.find((each) => each.name.test(name));
  if (inside === undefined || !isOwnFolder(path)) return;
  for (const each of namesIn(path)) removeOwn(path, each, inside);
  removeEmpty(path);
}

function ignoring<T>(codes: readonly string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    if (codes.includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw error;
  }
}
