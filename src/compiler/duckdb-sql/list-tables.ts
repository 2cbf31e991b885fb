import type { DuckFrom } from './duckdb-sql.js';
import { listNodes, someNode } from './map-tree.js';

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
  return someNode(node, (part) => part.kind === 'column' && test(part.table));
}

/** The aliases of the tables in a part of a tree, at any depth. */
export function collectAliases(node: object): ReadonlySet<string> {
  return new Set(listNodes(node).flatMap((part) => ('alias' in part ? part.alias : [])));
}

/** The aliases of the tables that FROM joins. */
export function joinedAliases(from: DuckFrom): readonly string[] {
  return from.kind === 'join'
    ? [...joinedAliases(from.left), ...joinedAliases(from.right)]
    : [from.alias];
}
