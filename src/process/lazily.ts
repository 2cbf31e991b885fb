/** Returns a function that calls `load` once, when its result is first needed. */
export function lazily<T extends object | string>(load: () => T): () => T {
  let loaded: T | undefined;
  return () => {
    loaded ??= load();
    return loaded;
  };
}
