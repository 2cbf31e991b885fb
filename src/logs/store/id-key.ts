import { randomBytes } from 'node:crypto';
import { chmodSync, linkSync, lstatSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../process/make-folder.js';
import { isOwnFile } from '../../process/own-path.js';
import { newIdKey } from '../columns/made-id.js';
import { removeFile } from './entry.js';

/** The file in a cache folder that holds the key. */
const idKeyName = 'id.key';

const written = /^[0-9a-f]{64}\n$/;

/**
 * Reads the key in a cache folder, or creates and stores one. Processes that start at the same time get the same key.
 * Replaces a damaged key.
 * @throws an error of the file system, or an error if the file is not ours
 */
export function readIdKey(cacheDir: string, make = newIdKey): string {
  const path = join(cacheDir, idKeyName);
  const known = readKey(path);
  if (known !== undefined) return known;
  makeFolder(cacheDir, 0o700);
  const building = join(cacheDir, `${idKeyName}.${randomBytes(8).toString('hex')}`);
  try {
    writeFileSync(building, `${make()}\n`, { mode: 0o600, flag: 'wx', flush: true });
    publish(building, path);
  } finally {
    removeFile(building);
  }
  return readKey(path) ?? readIdKey(cacheDir, make);
}

/** Returns undefined if there is no key, or the file is damaged. */
function readKey(path: string): string | undefined {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return undefined;
  if (!isOwnFile(path)) throw new Error(`${path} is not ours`);
  if ((stat.mode & 0o077) !== 0 && process.platform !== 'win32') chmodSync(path, 0o600);
  const text = readFileSync(path, 'utf8');
  return written.test(text) ? text.trim() : undefined;
}

/** Links the file, so that it never replaces the key of another process; only a damaged key may be replaced. */
function publish(building: string, path: string): void {
  try {
    linkSync(building, path);
  } catch {
    // Either the file now exists, or the file system does not support links.
    if (readKey(path) === undefined) renameSync(building, path);
  }
}
