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
export type Serving = ReturnType<typeof createServing>;

/** Starts serving a state. */
export function createServing(first: ServedData) {
  let current = countUses(first);
  // Every tail listens to it.
  const replaced = new EventEmitter().setMaxListeners(0);
  return {
    get version(): string {
      return current.data.version;
    },
    get sources(): ServedData['sources'] {
      return current.data.sources;
    },
    /** Runs work with the current state, which stays open until the work is done. */
    use: <T>(work: (data: ServedData) => Promise<T>): Promise<T> => current.use(work),
    /** Switches to another state; settles once the previous one is no longer in use and closed. */
    replace(next: ServedData): Promise<void> {
      const before = current;
      current = countUses(next);
      replaced.emit('replaced');
      return before.close();
    },
    /** Settles when another state is served, or when the signal fires. */
    async untilReplaced(signal: AbortSignal): Promise<void> {
      await once(replaced, 'replaced', { signal }).catch(() => {});
    },
    /** Closes the current state, even if it is in use. */
    close: (): Promise<void> => current.data.engine.close(),
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
