import { useLayoutEffect, useState } from 'preact/hooks';

/** A value that changes, and who is told. */
export interface PageStore<T> {
  readonly get: () => T;
  readonly update: (patch: Partial<T>) => void;
  readonly subscribe: (listener: () => void) => () => void;
}

/** Creates a store of an object, which updates replace. */
export function createPageStore<T extends object>(initial: T): PageStore<T> {
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

/** The value of a store; the component is drawn again when it changes. */
export function useStore<T>(store: PageStore<T>): T {
  const [, redraw] = useState(0);
  useLayoutEffect(() => store.subscribe(() => redraw((count) => count + 1)), [store]);
  return store.get();
}
