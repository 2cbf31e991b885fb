import { symlinkSync } from 'node:fs';
import { resolve } from 'node:path';
import type { LogFile } from '../files/files.js';

/** The path under which DuckDB reads a file: a new link if its own has glob characters, which DuckDB would expand. */
export function linkTo(
  { newPath }: { readonly newPath: () => string },
  file: Pick<LogFile, 'path'>,
): string {
  const path = resolve(file.path);
  if (/^[\w./-]+$/.test(path)) return path;
  const link = newPath();
  symlinkSync(path, link);
  return link;
}
