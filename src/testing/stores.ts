import { randomBytes } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { linkDatabases } from '../logs/store/link-databases.js';
import { databasesIn, type Manifest } from '../logs/store/manifest.js';
import { type DiskCache, defaultUse, openDiskCache } from '../logs/store/store.js';

/** Opens the store of a service in its own folder; `start` identifies the service's initial files. */
type OpenStore = (folder: string, start: string) => DiskCache;

/**
 * Lets services with the same initial files share the loaded data, as links in the folder `shared`. Each store keeps
 * the files of its first state, to which a service can always return.
 */
export function createStores(shared: string): OpenStore {
  mkdirSync(shared);
  const links = { folder: shared, newDatabase: () => `${randomBytes(8).toString('hex')}.duckdb` };
  const starts = new Map<string, Manifest>();
  return (folder, start) => {
    mkdirSync(folder);
    const use = { ...defaultUse, isPersistent: false };
    const store = openDiskCache(folder, { dataFolder: '', storedBy: [] }, use);
    let first: Manifest | undefined;
    let isSaved = false;
    return {
      ...store,
      async read() {
        const known = starts.get(start);
        if (known === undefined) return { isDamaged: false };
        first = linkDatabases(known, shared, store);
        return { isDamaged: false, manifest: first };
      },
      async save(manifest) {
        await store.save(manifest);
        if (isSaved) return;
        isSaved = true;
        store.hold(databasesIn(manifest));
        // A link keeps a file after the service that loaded it is closed.
        if (manifest !== first) starts.set(start, linkDatabases(manifest, store.folder, links));
      },
    };
  };
}
