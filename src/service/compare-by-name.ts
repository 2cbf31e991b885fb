/** The names of what differs between two lists. */
export interface Changes {
  readonly added: readonly string[];
  readonly changed: readonly string[];
  readonly removed: readonly string[];
}

/** Compares two lists whose items have different names. */
export function compareByName<T extends { readonly name: string }>(
  before: readonly T[],
  now: readonly T[],
  isSame: (one: T, other: T) => boolean,
): Changes {
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
