import { LRUCache } from 'lru-cache';
import type { Entry, EntryReads } from './entry.js';

/** The entries computed from the current data, limited in bytes. */
export type Store = ReturnType<typeof createStore>;

/** The limit of a store, and its source of the current data version. */
export interface StoreOptions {
  readonly maxBytes: number;
  /**
   * The current version of some sources, or of all data; when it changes, the entries that read other versions are
   * dropped.
   */
  readonly dataVersion: (reads?: EntryReads) => string;
}

/** Creates an empty store; `onRemoved` is called for each key whose entry is removed and not replaced. */
export function createStore(
  { maxBytes, dataVersion }: StoreOptions,
  onRemoved: (key: string) => void,
) {
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: (_entry, key, reason) => reason !== 'set' && onRemoved(key),
  });
  let version = dataVersion();
  const isCurrent = (entry: Entry) => entry.dataVersion === dataVersion(entry.reads);
  const current = () => {
    if (version !== dataVersion()) {
      version = dataVersion();
      for (const [key, entry] of [...entries]) if (!isCurrent(entry)) entries.delete(key);
    }
    return entries;
  };
  return {
    /** Reads an entry and marks it as recently used. */
    get: (key: string) => current().get(key),
    /** Reads an entry without marking it. */
    peek: (key: string) => current().peek(key),
    /** Stores an entry; false if its data version is no longer current or it does not fit. */
    put(key: string, entry: Entry): boolean {
      if (!isCurrent(entry)) return false;
      current().set(key, entry);
      return entries.has(key);
    },
    size: () => ({ entries: current().size, bytes: entries.calculatedSize }),
  };
}
