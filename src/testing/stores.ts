import { randomBytes } from 'node:crypto';
import { existsSync, linkSync, mkdirSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { databasesOf, type Manifest } from '../logs/store/manifest.js';
import type { DiskCache } from '../logs/store/store.js';

/** Opens the store of a service in a folder of its own; `start` identifies the files with which the service starts. */
export type OpenStore = (folder: string, start: string) => DiskCache;

/** What was loaded of the files with which a service starts. */
interface StartState {
  readonly folder: string;
  readonly manifest: Manifest;
}

/**
 * Services that start with the same files share what was loaded of them, as links in the folder `shared`. Each store
 * keeps the files of its first state, to which a service can always return.
 */
export function createStores(shared: string): OpenStore {
  const states = new Map<string, StartState>();
  return (folder, start) => {
    const store = createStore(folder);
    let isSaved = false;
    return {
      ...store,
      async read() {
        const { manifest, folder: from } = states.get(start) ?? {};
        if (manifest === undefined || from === undefined) return { isDamaged: false };
        linkDatabases(manifest, from, folder);
        return { isDamaged: false, manifest };
      },
      async save(manifest) {
        await store.save(manifest);
        if (isSaved) return;
        isSaved = true;
        store.hold(databasesOf(manifest));
        if (states.get(start)?.manifest === manifest) return;
        // A link keeps a file when the service that has loaded it is closed.
        const own = join(shared, randomBytes(8).toString('hex'));
        linkDatabases(manifest, folder, own);
        states.set(start, { manifest, folder: own });
      },
    };
  };
}

/** Only one process knows such a store, and only while it runs: it needs no leases, no manifest file and no checks. */
function createStore(folder: string): DiskCache {
  mkdirSync(folder, { recursive: true });
  const building = new Set<string>();
  const held = new Set<readonly string[]>();
  let current: readonly string[] = [];
  // Not awaited: it takes a while, and what it leaves disappears with the service.
  const remove = (name: string) => {
    rm(join(folder, name), { recursive: true, force: true }).catch(() => {});
  };
  const sweep = () => {
    const used = new Set([...current, ...building, ...[...held].flat()]);
    // The service may be closed before its last state is.
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      // A file that is being written has others beside it, whose names begin with its own.
      if (!used.has(name.replace(/(?<=\.duckdb).*$/, ''))) remove(name);
    }
  };
  return {
    folder,
    read: async () => ({ isDamaged: false }),
    verify: async () => true,
    newDatabase() {
      const name = `${randomBytes(8).toString('hex')}.duckdb`;
      building.add(name);
      return name;
    },
    discard(name) {
      building.delete(name);
      if (name !== '') remove(name);
    },
    hold(names) {
      held.add(names);
      return () => {
        if (held.delete(names)) sweep();
      };
    },
    async save(manifest) {
      current = databasesOf(manifest);
      for (const name of current) building.delete(name);
      sweep();
    },
  };
}

function linkDatabases(manifest: Manifest, from: string, to: string): void {
  mkdirSync(to, { recursive: true });
  for (const name of databasesOf(manifest)) linkSync(join(from, name), join(to, name));
}
