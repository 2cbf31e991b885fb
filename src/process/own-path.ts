import { lstatSync } from 'node:fs';

/** Whether a path is a folder owned by this user; false for a symbolic link or a missing path. */
export function isOwnFolder(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isDirectory() === true && isThisUser(stat.uid);
}

/** Whether a path is a regular file owned by this user; false for a symbolic link or a missing path. */
export function isOwnFile(path: string): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  return stat?.isFile() === true && isThisUser(stat.uid);
}

/** Always true on Windows, which has no user ids. */
function isThisUser(uid: number): boolean {
  return uid === (process.getuid?.() ?? uid);
}
