import { join } from 'node:path';
import { packagePath } from '../common/package-paths.js';

/** The path of a file or folder in the package's `sql` folder. */
export function shippedPath(name: string): string {
  return packagePath(join('sql', name));
}
