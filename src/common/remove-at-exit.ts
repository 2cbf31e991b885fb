import { rmSync } from 'node:fs';

const paths = new Set<string>();

/** Has a file or a folder, with what is in it, removed when the process ends. */
export function removeAtExit(path: string): void {
  // One listener for all of them: of many, Node warns.
  if (paths.size === 0) process.once('exit', removeAll);
  paths.add(path);
}

function removeAll(): void {
  for (const path of paths) {
    try {
      rmSync(path, { recursive: true, force: true });
    } catch {
      // What cannot be removed keeps none of the others here.
    }
  }
}
