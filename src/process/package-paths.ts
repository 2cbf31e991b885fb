import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** The package finds itself by name, at any depth of the running code. */
const root = dirname(createRequire(import.meta.url).resolve('log-endpoints/package.json'));

/** Returns the absolute path of a file or folder in the installed package, such as `sql/sources`. */
export function packagePath(path: string): string {
  return join(root, path);
}

/** Returns the absolute path of a file or folder that the build writes to `dist`, such as `child.js`. */
export function builtPath(path: string): string {
  return packagePath(join('dist', path));
}

/** Reads the version in `package.json`. */
export function readVersion(): string {
  const text = readFileSync(packagePath('package.json'), 'utf8');
  const { version } = JSON.parse(text) as { readonly version: string };
  return version;
}
