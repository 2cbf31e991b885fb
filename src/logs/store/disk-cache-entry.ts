import { lstatSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { isOwnFile, isOwnFolder } from '../../common/own-path.js';

/** The file that marks a cache entry as ours and names its data folder. */
export const aboutName = 'about.json';

/** How long the name of an entry is, in hex digits. */
export const entryNameLength = 32;

/** What an entry says of itself. */
export interface About {
  /** The folder whose logs it keeps. */
  readonly dataFolder: string;
}

/** Raise the format when an older program must not remove the entry: it knows other file names. */
const marker = { program: 'log-endpoints', format: 1 };

const entryName = new RegExp(`^[0-9a-f]{${entryNameLength}}$`);

/**
 * What a folder is the cache of. Undefined unless it is ours: named as an entry, no link, owned by this
 * user, and marked by a file of this user.
 */
export function readAbout(folder: string): About | undefined {
  const about = join(folder, aboutName);
  if (!entryName.test(basename(folder)) || !isOwnFolder(folder) || !isOwnFile(about))
    return undefined;
  try {
    return parseAbout(readFileSync(about, 'utf8'));
  } catch {
    return undefined;
  }
}

/**
 * Makes the folder of an entry and its marker where they are missing.
 * @throws an error of the file system, and one where what is there is not ours
 */
export function makeEntry(folder: string, { dataFolder }: About): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (lstatSync(folder).isSymbolicLink()) throw new Error(`${folder} is a symbolic link`);
  if (!isOwnFolder(folder)) throw new Error('it belongs to another user');
  const about = join(folder, aboutName);
  if (lstatSync(about, { throwIfNoEntry: false }) === undefined) {
    writeAbout(about, { ...marker, dataFolder });
  }
  if (readAbout(folder) === undefined) throw new Error(`${about} was not written by log-endpoints`);
}

/** Complete or not at all, even after a power cut: an entry without a whole marker is not ours. */
function writeAbout(about: string, content: object): void {
  const building = `${about}.${process.pid}`;
  writeFileSync(building, `${JSON.stringify(content)}\n`, { mode: 0o600, flush: true });
  renameSync(building, about);
}

/** @throws SyntaxError where the text is not JSON, TypeError where it is null */
function parseAbout(text: string): About | undefined {
  const { program, format, dataFolder } = JSON.parse(text);
  const isOurs = program === marker.program && format === marker.format;
  return isOurs && typeof dataFolder === 'string' ? { dataFolder } : undefined;
}
