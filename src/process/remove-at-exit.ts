import { rmSync } from 'node:fs';
import { ignoreErrors } from './ignore-errors.js';

const paths = new Set<string>();

/** Removes a file or folder, with its contents, when the process exits. */
export function removeAtExit(path: string): void {
  // One listener for all paths: Node warns about more than ten.
  if (paths.size === 0) process.once('exit', removeAll);
  paths.add(path);
}

function removeAll(): void {
  for (const path of paths) {
    ignoreErrors(() => rmSync(path, { recursive: true, force: true }));
  }
}
