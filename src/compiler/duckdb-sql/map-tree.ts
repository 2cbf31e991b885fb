/**
 * Applies `change` to each child object and array of a node. Returns the node itself if nothing changes;
 * unchanged subtrees are shared.
 */
export function mapChildren<T extends object>(node: T, change: (child: object) => object): T {
  if (Array.isArray(node)) return mapItems(node, change) as T;
  let mapped = node;
  for (const key in node) {
    const child = node[key];
    if (!isObject(child)) continue;
    const changed = change(child) as typeof child;
    if (changed === child) continue;
    if (mapped === node) mapped = { ...node };
    mapped[key] = changed;
  }
  return mapped;
}

function mapItems(list: unknown[], change: (child: object) => object): unknown[] {
  let mapped = list;
  let index = 0;
  for (const item of list) {
    const changed = isObject(item) ? change(item) : item;
    if (changed !== item && mapped === list) mapped = [...list];
    if (mapped !== list) mapped[index] = changed;
    index += 1;
  }
  return mapped;
}

/** Replaces nodes from the outside in: the parts of a node are visited only if `replace` returns undefined for it. */
export function replaceNodes<T extends object>(
  tree: T,
  replace: (node: object) => object | undefined,
): T {
  const map = (node: object): object => replace(node) ?? mapChildren(node, map);
  return map(tree) as T;
}

/** Whether a test holds for a node or for any object or array below it. */
export function someNode(node: object, test: (node: object) => boolean): boolean {
  if (test(node)) return true;
  if (Array.isArray(node)) {
    for (const item of node) if (isObject(item) && someNode(item, test)) return true;
    return false;
  }
  // `for … in` allocates no list of keys, which would be most of the cost of this walk.
  for (const key in node) {
    const child = (node as Readonly<Record<string, unknown>>)[key];
    if (isObject(child) && someNode(child, test)) return true;
  }
  return false;
}

/** The number of nodes in a tree: the size that a guard adds to the statement each time. */
export function countDuckNodes(tree: object): number {
  let count = 0;
  someNode(tree, (node) => {
    if ('kind' in node) count += 1;
    return false;
  });
  return count;
}

/** The properties that nodes of some kinds have. */
export interface AnyNode {
  readonly kind?: unknown;
  readonly name?: unknown;
  readonly path?: readonly string[];
  readonly parameters?: readonly string[];
}

/** The kind of a node; undefined for a query, an item, a list and other nodes without one. */
export function nodeKind(node: object): unknown {
  return (node as { readonly kind?: unknown }).kind;
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
