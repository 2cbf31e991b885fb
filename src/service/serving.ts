import type { Compiler } from '../compiler/compile.js';
import type { CompileSandbox } from '../compiler/compile-sandbox.js';
import type { Engine } from '../engine/engine.js';

/** What answers from one state of the log files. */
export interface ServedData {
  /** For stored queries, whose texts are trusted. */
  readonly compiler: Compiler;
  /** For queries of callers. */
  readonly compileSandbox: CompileSandbox;
  readonly engine: Engine;
  /** Another one for every state. */
  readonly version: string;
}

/** The state of the log files that is served now. */
export interface Serving {
  readonly version: string;
  /** Does work with the state of now, which stays open until the work is done. */
  use<T>(work: (data: ServedData) => Promise<T>): Promise<T>;
  /** Serves another state from now on; settles when nobody uses the one before, and it is closed. */
  replace(next: ServedData): Promise<void>;
  /** Closes the state of now, whoever uses it. */
  close(): Promise<void>;
}

/** Serves a state until another comes. */
export function createServing(first: ServedData): Serving {
  let current = createUse(first);
  return {
    get version() {
      return current.data.version;
    },
    use: (work) => current.use(work),
    replace(next) {
      const before = current;
      current = createUse(next);
      return before.closed();
    },
    close: () => current.data.engine.close(),
  };
}

function createUse(data: ServedData) {
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
    async closed(): Promise<void> {
      if (users > 0) {
        await new Promise<void>((resolve) => {
          onUnused = resolve;
        });
      }
      await data.engine.close();
    },
  };
}
