import * as fs from 'node:fs';
import { basename, join } from 'node:path';
import { makeFolder } from '../../process/make-folder.js';
import { isOwnFile, isOwnFolder } from '../../process/own-path.js';

/** The file that marks a folder as our entry and names its data folder. */
export const aboutName = 'about.json';

/** The length of an entry's name, in hex digits. */
export const entryNameLength = 32;

/** The contents of an entry's marker. */
export interface About {
  /** The folder whose logs are stored in the entry. */
  readonly dataFolder: string;
}

/** Increase `format` when file names change, so that older programs leave the entry alone. */
const marker = { program: 'log-endpoints', format: 2 };

const entryName = new RegExp(`^[0-9a-f]{${entryNameLength}}$`);

/**
 * Reads the marker of an entry. Returns undefined if the folder is not ours: ours is named like an entry, is not a
 * symbolic link, belongs to this user, and has a marker that belongs to this user; if the marker is damaged,
 * everything in the folder must have our names.
 */
export function readAbout(folder: string): About | undefined {
  const about = join(folder, aboutName);
  if (!entryName.test(basename(folder)) || !isOwnFolder(folder) || !isOwnFile(about))
    return undefined;
  const read = readMarker(about);
  return read === 'damaged' ? (hasOnlyOurs(folder) ? damaged : undefined) : read;
}

/** The stand-in for a damaged marker. */
const damaged: About = { dataFolder: `unknown: ${aboutName} is damaged` };

function readMarker(about: string): About | 'damaged' | undefined {
  try {
    const { program, format, dataFolder } = JSON.parse(fs.readFileSync(about, 'utf8'));
    const isOurs = program === marker.program && format === marker.format;
    return isOurs && typeof dataFolder === 'string' ? { dataFolder } : undefined;
  } catch (error) {
    return error instanceof SyntaxError ? 'damaged' : undefined;
  }
}

/** Without a marker, only a folder's contents tell whether it is an entry. */
function hasOnlyOurs(folder: string): boolean {
  return namesIn(folder).every((name) => {
    const isFolder = inEntry.folders.some((each) => each.name.test(name));
    const path = join(folder, name);
    return isFolder
      ? isOwnFolder(path)
      : (name === aboutName || isOwnName(name)) && isOwnFile(path);
  });
}

/**
 * Creates an entry's folder and marker if they do not exist, and replaces a damaged marker.
 * @throws an error of the file system, or an error if the existing folder or marker is not ours
 */
export function makeEntry(folder: string, { dataFolder }: About): void {
  makeFolder(folder, 0o700);
  if (fs.lstatSync(folder).isSymbolicLink()) throw new Error(`${folder} is a symbolic link`);
  if (!isOwnFolder(folder)) throw new Error('it belongs to another user');
  const about = join(folder, aboutName);
  if (!isThere(about) || (isOwnFile(about) && readMarker(about) === 'damaged')) {
    const building = `${about}.${process.pid}`;
    const text = `${JSON.stringify({ ...marker, dataFolder })}\n`;
    // Atomically, even across a power cut: without a complete marker the entry is not ours.
    try {
      fs.writeFileSync(building, text, { mode: 0o600, flush: true });
      fs.renameSync(building, about);
    } finally {
      removeFile(building);
    }
  }
  if (readAbout(folder) === undefined) throw new Error(`${about} was not written by log-endpoints`);
}

/** Our names for files and folders within a folder. */
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

/** The files that a load spills to disk; the engine's own files begin with `duckdb_temp_`. */
const spill = {
  name: /^[0-9a-f]{16}\.duckdb\.spill$/,
  files: /^(duckdb_temp_\w.*|stage\.duckdb(\.wal)?)$/,
  folders: [copies],
};

/**
 * Everything that we write to an entry, except its marker. Version 0.1.0 also wrote files whose names end with
 * `.rows`.
 */
const inEntry: OwnNames = {
  files:
    /^(manifest\.json|about\.json\.\d+|[0-9a-f]{16}\.(json|lease(\.new)?|duckdb(\.wal|\.copy\d+|\.[0-9a-f]{24}\.rows(\.[0-9a-f]{16})?)?))$/,
  folders: [spill],
};

/** Whether a file name in an entry is ours; the marker is not included. */
export function isOwnName(name: string): boolean {
  return inEntry.files.test(name);
}

/**
 * Removes a file of an entry, or the spill folder of a load, if its name and kind are ours. A spill folder with files
 * that are not ours stays, with those files.
 * @throws an error of the file system, unless something does not exist
 */
export function removeOwnName(folder: string, name: string): void {
  removeOwn(folder, name, inEntry);
}

function removeOwn(folder: string, name: string, own: OwnNames): void {
  const path = join(folder, name);
  if (own.files.test(name) && isOwnFile(path)) removeFile(path);
  const inside = own.folders.find((each) => each.name.test(name));
  if (inside === undefined || !isOwnFolder(path)) return;
  for (const each of namesIn(path)) removeOwn(path, each, inside);
  removeIfEmpty(path);
}

/** Whether this path exists, even as a broken link. */
export function isThere(path: string): boolean {
  return fs.lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** Removes a folder if it is empty. @throws an error of the file system */
export function removeIfEmpty(folder: string): void {
  // POSIX allows either code for a folder that is not empty.
  ignoring(['ENOENT', 'ENOTEMPTY', 'EEXIST'], () => fs.rmdirSync(folder));
}

/** Lists the names in a folder; none if it does not exist. @throws an error of the file system */
export function namesIn(folder: string): readonly string[] {
  return ignoring(['ENOENT'], () => fs.readdirSync(folder)) ?? [];
}

/** Removes a file if it exists. @throws an error of the file system */
export function removeFile(path: string): void {
  ignoring(['ENOENT'], () => fs.unlinkSync(path));
}

function ignoring<T>(codes: readonly string[], work: () => T): T | undefined {
  try {
    return work();
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : '';
    if (codes.includes(code)) return undefined;
    throw error;
  }
}
