import type { Cte, TableReference } from './syntax/tree.js';

/** The tables that a query, or a part of one, reads and that are none of its CTEs where it reads them. */
export function freeTables(
  node: unknown,
  ctes: ReadonlySet<string> = new Set(),
): readonly TableReference[] {
  if (typeof node !== 'object' || node === null) return [];
  if (isTable(node)) return isCte(node, ctes) ? [] : [node];
  const { ctes: own = [], ...parts } = node as { readonly ctes?: readonly Cte[] };
  const found: TableReference[] = [];
  let visible = ctes;
  for (const { name, query, isRecursive } of own) {
    const after = withNames(visible, [name]);
    found.push(...freeTables(query, isRecursive ? after : visible));
    visible = after;
  }
  for (const part of Object.values(parts)) {
    found.push(...freeTables(part, visible));
    if (isPipeWith(part)) visible = withNames(visible, part.ctes.map(nameOf));
  }
  return found;
}

function isTable(node: object): node is TableReference {
  return 'kind' in node && node.kind === 'table';
}

/** The operators after it read its CTEs, too. */
function isPipeWith(node: unknown): node is { readonly ctes: readonly Cte[] } {
  return typeof node === 'object' && node !== null && 'kind' in node && node.kind === 'pipe-with';
}

/** No path of several names is a CTE. */
function isCte({ path }: TableReference, ctes: ReadonlySet<string>): boolean {
  return path.length === 1 && path.every(({ name }) => ctes.has(name.toLowerCase()));
}

function nameOf({ name }: Cte): Cte['name'] {
  return name;
}

function withNames(ctes: ReadonlySet<string>, names: readonly Cte['name'][]): ReadonlySet<string> {
  return new Set([...ctes, ...names.map(({ name }) => name.toLowerCase())]);
}
