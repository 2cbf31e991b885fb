import { useLayoutEffect, useState } from 'preact/hooks';

/** A changing value, and its listeners. */
export interface Store<T> {
  readonly get: () => T;
  readonly update: (patch: Partial<T>) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Creates a store of an object; updates replace the object. */
export function createStore<T extends object>(initial: T): Store<T> {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    update: (patch) => {
      value = { ...value, ...patch };
      for (const listener of listeners) listener();
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** Returns the value of a store; the component is rendered again when it changes. */
export function useStore<T>(store: Store<T>): T {
  const [, redraw] = useState(0);
  useLayoutEffect(() => store.subscribe(() => redraw((count) => count + 1)), [store]);
  return store.get();
}
