import { lstatSync } from 'node:fs';

/** Whether a path is a folder of this user and no link to one; false where it is missing. */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && isOwnUser(stat.uid);
}

/** Whether a path is a regular file of this user and no link to one; false where it is missing. */
export function isOwnFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && isOwnUser(stat.uid);
}

/** Always true on Windows, which has no user numbers. */
function isOwnUser(uid: number): boolean {
  return uid === (process.getuid?.() ?? uid);
}
