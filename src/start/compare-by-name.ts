/** Compares two lists whose items have unique names. */
export function compareByName<T extends { readonly name: string }>(
  before: readonly T[],
  now: readonly T[],
  isSame: (one: T, other: T) => boolean,
) {
  const old = new Map(before.map((one) => [one.name, one]));
  const names = new Set(now.map(({ name }) => name));
  const changed = now.filter((one) => {
    const twin = old.get(one.name);
    return twin !== undefined && !isSame(twin, one);
  });
  return {
    added: [...names].filter((name) => !old.has(name)),
    changed: changed.map(({ name }) => name),
    removed: [...old.keys()].filter((name) => !names.has(name)),
  };
}
