import { EventEmitter, once } from 'node:events';
import type { Compiler } from '../compiler/compile.js';
import type { Compile } from '../compiler/compile-sandbox.js';
import type { Engine } from '../engine/engine.js';
import type { SourceSchema } from '../types/schema.js';

/** A compiler and an engine over one state of the log files. */
export interface ServedData {
  readonly compiler: Compiler;
  /** Compiles stored queries and callers' queries, and remembers their statements. */
  readonly compile: Compile;
  readonly engine: Engine;
  readonly sources: readonly SourceSchema[];
  /** Different for every state. */
  readonly version: string;
}

/** Serves one state of the log files at a time. */
export interface Serving extends Pick<ServedData, 'version' | 'sources'> {
  /** Runs work with the current state, which stays open until the work is done. */
  use<T>(work: (data: ServedData) => Promise<T>): Promise<T>;
  /** Switches to another state; settles once the previous one is no longer in use and closed. */
  replace(next: ServedData): Promise<void>;
  /** Settles when another state is served, or the signal fires. */
  untilReplaced(signal: AbortSignal): Promise<void>;
  /** Closes the current state, even if it is in use. */
  close(): Promise<void>;
}

/** Starts serving a state. */
export function createServing(first: ServedData): Serving {
  let current = countUses(first);
  // Each tail waits for it.
  const replaced = new EventEmitter().setMaxListeners(0);
  return {
    get version() {
      return current.data.version;
    },
    get sources() {
      return current.data.sources;
    },
    use: (work) => current.use(work),
    replace(next) {
      const before = current;
      current = countUses(next);
      replaced.emit('replaced');
      return before.close();
    },
    async untilReplaced(signal) {
      await once(replaced, 'replaced', { signal }).catch(() => {});
    },
    close: () => current.data.engine.close(),
  };
}

/** Counts the users of a state, so that it is closed after the last one. */
function countUses(data: ServedData) {
  let users = 0;
  let onUnused = () => {};
  return {
    data,
    async use<T>(work: (data: ServedData) => Promise<T>): Promise<T> {
      users += 1;
      try {
        return await work(data);
      } finally {
        users -= 1;
        if (users === 0) onUnused();
      }
    },
    async close(): Promise<void> {
      if (users > 0) {
        await new Promise<void>((resolve) => {
          onUnused = resolve;
        });
      }
      await data.engine.close();
    },
  };
}
