import { LRUCache } from 'lru-cache';
import type { Entry } from './entry.js';

/** Entries of the data of now, within a number of bytes. */
export interface Store {
  /** An entry that is used, and so goes later than others. */
  use(key: string): Entry | undefined;
  peek(key: string): Entry | undefined;
  /** Keeps an entry over data of that version; false where that is gone, or the entry has no room. */
  put(key: string, entry: Entry, version: string): boolean;
  size(): { readonly entries: number; readonly bytes: number };
}

/** What a store needs of the world. */
export interface StoreOptions {
  readonly maxBytes: number;
  /** Changes once no statement reads the old data any more: what is kept of that is then forgotten. */
  readonly dataVersion: () => string;
}

/** An empty store; `onGone` hears of each key whose entry went and no other came. */
export function createStore(
  { maxBytes, dataVersion }: StoreOptions,
  onGone: (key: string) => void,
): Store {
  const entries = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    sizeCalculation: ({ bytes }) => bytes,
    dispose: (_entry, key, reason) => reason !== 'set' && onGone(key),
  });
  let version = dataVersion();
  const current = () => {
    if (version !== dataVersion()) {
      version = dataVersion();
      entries.clear();
    }
    return entries;
  };
  return {
    use: (key) => current().get(key),
    peek: (key) => current().peek(key),
    put(key, entry, entryVersion) {
      if (current() && entryVersion !== version) return false;
      entries.set(key, entry);
      return entries.has(key);
    },
    size: () => ({ entries: current().size, bytes: entries.calculatedSize }),
  };
}
