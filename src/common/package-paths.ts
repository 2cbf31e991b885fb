import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the running program: `dist`, or `src` in tests. */
export const programFolder = fileURLToPath(new URL('../', import.meta.url));

const root = fileURLToPath(new URL('../../', import.meta.url));

/** The absolute path of a file or folder in the installed package, such as `sql/sources`. */
export function packagePath(path: string): string {
  return join(root, path);
}

/** The absolute path of a file or folder that the build writes to `dist`, such as `child.js`. */
export function builtPath(path: string): string {
  return packagePath(join('dist', path));
}
