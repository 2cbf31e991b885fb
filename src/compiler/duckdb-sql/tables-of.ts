import type { DuckFrom } from './duckdb-sql.js';
import { someNode } from './map-tree.js';

/** The aliases of the tables whose columns a tree reads. */
export function collectTables(node: object): ReadonlySet<string> {
  const tables = new Set<string>();
  someTable(node, (alias) => {
    tables.add(alias);
    return false;
  });
  return tables;
}

/** Whether a test holds for the alias of a table whose columns a tree reads. */
export function someTable(node: object, test: (alias: string) => boolean): boolean {
  return someNode(node, (part) => {
    const { kind, table } = part as { readonly kind?: unknown; readonly table?: unknown };
    return kind === 'column' && typeof table === 'string' && test(table);
  });
}

/** The aliases of the tables in a part of a tree, at any depth. */
export function collectAliases(node: object): ReadonlySet<string> {
  const aliases = new Set<string>();
  someNode(node, (part) => {
    if ('alias' in part && typeof part.alias === 'string') aliases.add(part.alias);
    return false;
  });
  return aliases;
}

/** The aliases of the tables that FROM joins. */
export function aliasesOf(from: DuckFrom): readonly string[] {
  return from.kind === 'join' ? [...aliasesOf(from.left), ...aliasesOf(from.right)] : [from.alias];
}
