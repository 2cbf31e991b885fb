import { copyFileSync, existsSync, linkSync } from 'node:fs';
import { join } from 'node:path';
import { ignoreErrors } from '../../process/ignore-errors.js';
import { databasesIn, type Manifest } from './manifest.js';
import type { DatabaseFolder } from './store.js';

/**
 * Links the database files of a manifest into another folder, under new names; copies those that cannot be linked.
 * Returns the manifest with these names.
 * @throws an error of the file system
 */
export function linkDatabases(
  manifest: Manifest,
  from: string,
  to: Pick<DatabaseFolder, 'folder' | 'newDatabase'>,
): Manifest {
  const names = new Map(databasesIn(manifest).map((name) => [name, to.newDatabase()]));
  for (const [name, own] of names) {
    const [old, copy] = [join(from, name), join(to.folder, own)];
    ignoreErrors(() => linkSync(old, copy));
    if (!existsSync(copy)) copyFileSync(old, copy);
  }
  const parts = manifest.parts.map((part) => {
    return { ...part, database: names.get(part.database) ?? part.database };
  });
  return { ...manifest, parts };
}
