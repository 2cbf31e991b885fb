import { lstatSync } from 'node:fs';

/** Whether a path is a folder owned by this user, not a link to one; false if it is missing. */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && isOwnUser(stat.uid);
}

/** Whether a path is a regular file owned by this user, not a link to one; false if it is missing. */
export function isOwnFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && isOwnUser(stat.uid);
}

/** Always true on Windows, which has no user ids. */
function isOwnUser(uid: number): boolean {
  return uid === (process.getuid?.() ?? uid);
}
