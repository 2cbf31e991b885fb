import type { DuckFrom } from './duckdb-sql.js';

/** The aliases of the tables whose columns a part of a tree reads. */
export function collectTables(node: unknown, tables: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof node !== 'object' || node === null) return tables;
  const { kind, table } = node as { readonly kind?: unknown; readonly table?: unknown };
  if (kind === 'column' && typeof table === 'string') tables.add(table);
  // `for … in` allocates no list of keys, which would be most of the cost of this walk.
  else
    for (const part in node)
      collectTables((node as Readonly<Record<string, unknown>>)[part], tables);
  return tables;
}

/** The aliases of the tables that FROM joins. */
export function aliasesOf(from: DuckFrom): readonly string[] {
  return from.kind === 'join' ? [...aliasesOf(from.left), ...aliasesOf(from.right)] : [from.alias];
}
