import type { DuckFrom } from './duckdb-sql.js';
import { someNode } from './map-tree.js';

/** The aliases of the tables whose columns a part of a tree reads. */
export function collectTables(node: object): ReadonlySet<string> {
  const tables = new Set<string>();
  someNode(node, (part) => {
    const { kind, table } = part as { readonly kind?: unknown; readonly table?: unknown };
    if (kind === 'column' && typeof table === 'string') tables.add(table);
    return false;
  });
  return tables;
}

/** The aliases of the tables that FROM joins. */
export function aliasesOf(from: DuckFrom): readonly string[] {
  return from.kind === 'join' ? [...aliasesOf(from.left), ...aliasesOf(from.right)] : [from.alias];
}
