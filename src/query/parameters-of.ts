import type { DuckQuery } from './duck.js';

/** The names of the parameters that a statement reads. */
export function parametersOf(statement: DuckQuery): ReadonlySet<string> {
  const names = new Set<string>();
  collect(statement, names);
  return names;
}

function collect(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  const { kind, name } = node as { readonly kind?: unknown; readonly name?: unknown };
  if (kind === 'parameter' && typeof name === 'string') names.add(name);
  for (const child of Object.values(node)) collect(child, names);
}
