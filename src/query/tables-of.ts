import type { DuckQuery } from './duck.js';

/** The tables of sources that a statement reads, as `logs.web`, each once, in order of their names. */
export function tablesOf(statement: DuckQuery): readonly string[] {
  const names = new Set<string>();
  collect(statement, names);
  return [...names].sort();
}

/** A path of one part is a CTE's name. */
function collect(node: unknown, names: Set<string>): void {
  if (typeof node !== 'object' || node === null) return;
  const { kind, path } = node as { readonly kind?: unknown; readonly path?: unknown };
  if (kind === 'table' && Array.isArray(path) && path.length > 1) names.add(path.join('.'));
  for (const child of Object.values(node)) collect(child, names);
}
