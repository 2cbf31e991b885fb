import { useLayoutEffect, useState } from 'preact/hooks';

/** A value, and the listeners that are called when it changes. */
export type PageStore<T extends object> = ReturnType<typeof createPageStore<T>>;

/** Creates a store of an object; each update replaces the object. */
export function createPageStore<T extends object>(initial: T) {
  let value = initial;
  const listeners = new Set<() => void>();
  return {
    get: () => value,
    update: (patch: Partial<T>): void => {
      value = { ...value, ...patch };
      for (const listener of listeners) listener();
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}

/** The value of a store; the component is drawn again when it changes. */
export function useStore<T extends object>(store: PageStore<T>): T {
  const [, redraw] = useState(0);
  useLayoutEffect(() => store.subscribe(() => redraw((count) => count + 1)), [store]);
  return store.get();
}
