import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Where the running program's own files are: `dist`, or `src` in tests. */
export const programFolder = fileURLToPath(new URL('../', import.meta.url));

const root = fileURLToPath(new URL('../../', import.meta.url));

/** A file or folder of the installed package, by its path in it, such as `sql/sources`. */
export function packagePath(path: string): string {
  return join(root, path);
}

/** A file or folder that the build makes, by its path in `dist`, such as `child.js`. */
export function builtPath(path: string): string {
  return packagePath(join('dist', path));
}
