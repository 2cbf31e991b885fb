import { join } from 'node:path';
import { aboutName, readAbout } from './disk-cache-entry.js';
import { namesIn, removeEmpty, removeFile, removeOwnName } from './disk-cache-names.js';
import { isLeased } from './lease.js';

/**
 * Removes our files in a cache entry, then its marker, then the folder if nothing else is in it.
 * Gives the names that stay because they are not ours; undefined where the folder is no entry of ours,
 * or some process uses it.
 * @throws an error of the file system; what is gone already is none
 */
export function removeEntry(folder: string): readonly string[] | undefined {
  // Listed first: the files of a process that opens the entry later are not in the list.
  const names = namesIn(folder);
  if (readAbout(folder) === undefined || isLeased(folder)) return undefined;
  for (const name of names) removeOwnName(folder, name);
  const left = namesIn(folder).filter((name) => name !== aboutName);
  // A process that has opened the entry by now needs the marker.
  if (isLeased(folder)) return undefined;
  removeFile(join(folder, aboutName));
  removeEmpty(folder);
  return left;
}
